using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Pages;

/// <summary>Writes the run of a value to the data file: whole pages straight from the value, the first and last one by a copy.</summary>
internal sealed class RunWriter(DataFile file)
{
    private readonly byte[] _edge = new byte[file.PageBytes];

    /// <summary>
    /// Writes the header with the first bytes, whole pages straight from the value, and the zero-padded last page. Returns the checksum.
    /// </summary>
    internal ulong Write(PageNumber first, uint count, TransactionId transaction, ReadOnlySpan<byte> value)
    {
        int pageBytes = file.PageBytes;
        RunningChecksum checksum = new((count * (long)pageBytes) - sizeof(ulong));
        int inFirst = Math.Min(value.Length, pageBytes - OverflowHeader.SizeBytes);
        int whole = (value.Length - inFirst) / pageBytes * pageBytes;
        OverflowHeader header = new()
        {
            PageNumber = first, TransactionId = transaction, Kind = PageKind.Overflow, PageCount = count,
        };
        BeginFirstPage(header, value[..inFirst]);
        checksum.Append(_edge.AsSpan(sizeof(ulong)));
        ReadOnlySpan<byte> middle = value.Slice(inFirst, whole);
        ReadOnlySpan<byte> last = value[(inFirst + whole)..];
        checksum.Append(middle);
        if (!last.IsEmpty)
        {
            FillEdge(last);
            checksum.Append(_edge);
            file.Write(first + count - 1, _edge);
        }

        const int PieceBytes = 8 << 20;
        for (int done = 0; done < middle.Length;)
        {
            int piece = Math.Min(PieceBytes, middle.Length - done);
            file.Write(first + 1 + (done / pageBytes), middle.Slice(done, piece));
            done += piece;
        }

        BeginFirstPage(header, value[..inFirst]);
        MemoryMarshal.Write(_edge, checksum.Value);
        file.Write(first, _edge);
        return checksum.Value;
    }

    private void BeginFirstPage(in OverflowHeader header, ReadOnlySpan<byte> bytes)
    {
        _edge.AsSpan().Clear();
        MemoryMarshal.Write(_edge, in header);
        bytes.CopyTo(_edge.AsSpan(OverflowHeader.SizeBytes));
    }

    private void FillEdge(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(_edge);
        _edge.AsSpan(bytes.Length).Clear();
    }
}

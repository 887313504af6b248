using System.Buffers;
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Versions;

namespace Voron.Storage.History;

/// <summary>
/// Reads the values that records name in the data file, and verifies them: the pages of one that was replaced or deleted since may be used
/// for something else. Reads by position.
/// </summary>
/// <param name="disk">The disk, for a handle of its own.</param>
/// <param name="path">The data file.</param>
/// <param name="pageBytes">Its page size.</param>
/// <param name="open">The open data file to read from instead, with the handle that it has.</param>
internal sealed class PlacedContent(IDisk disk, string path, int pageBytes, DataFile? open = null) : IDisposable
{
    private IDiskFile? _file;

    /// <summary>Returns the value of a run in memory of its own.</summary>
    /// <exception cref="ChangesGoneException">The pages of the run hold something else by now.</exception>
    /// <exception cref="StorageCorruptException">They hold the run, but it is damaged.</exception>
    internal ReadOnlyMemory<byte> Read(TransactionId id, in PlacedRun run)
    {
        long pages = OverflowReference.PagesOf(run.ValueBytes, pageBytes);
        byte[] bytes = GC.AllocateUninitializedArray<byte>(checked((int)(pages * pageBytes)));
        int read = ReadAt(run.FirstPage.ByteOffset(pageBytes), bytes);
        OverflowHeader header = MemoryMarshal.Read<OverflowHeader>(bytes);
        ulong found = read < bytes.Length ? 0 : Checksum.Compute(bytes.AsSpan(sizeof(ulong)));
        if (found != run.Checksum)
        {
            bool isSame = header.TransactionId == id && header.PageNumber == run.FirstPage && header.PageCount == pages;
            if (isSame)
            {
                Throw.ValueDamaged(path, id, run, found);
            }

            Throw.ValueGone(id, run);
        }

        return bytes.AsMemory(OverflowHeader.SizeBytes, (int)run.ValueBytes);
    }

    /// <summary>Returns the value that these runs hold, in pieces if there are several.</summary>
    internal ReadOnlySequence<byte> Read(TransactionId id, ReadOnlySpan<PlacedRun> runs)
    {
        if (runs.Length == 1)
        {
            return new ReadOnlySequence<byte>(Read(id, runs[0]));
        }

        Piece first = new(Read(id, runs[0]), 0);
        Piece last = first;
        foreach (PlacedRun run in runs[1..])
        {
            last = last.Append(Read(id, run));
        }

        return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
    }

    public void Dispose()
    {
        _file?.Dispose();
        _file = null;
    }

    private int ReadAt(long offset, Span<byte> bytes)
    {
        if (open is not null)
        {
            return open.ReadRaw(offset, bytes);
        }

        if (_file is null)
        {
            IO.Throw.IfFailed(disk.OpenFile(path, FileOpening.ReadOnly, out _file), "open", path);
        }

        IO.Throw.IfFailed(_file!.Read(offset, bytes, out int read), "read", path, offset);
        return read;
    }

    private sealed class Piece : ReadOnlySequenceSegment<byte>
    {
        internal Piece(ReadOnlyMemory<byte> memory, long index)
        {
            Memory = memory;
            RunningIndex = index;
        }

        internal Piece Append(ReadOnlyMemory<byte> memory)
        {
            Piece next = new(memory, RunningIndex + Memory.Length);
            Next = next;
            return next;
        }
    }
}

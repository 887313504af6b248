using System.Globalization;
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Pages;
using Voron.Storage.Versions;

namespace Voron.Simulation.Fuzz;

/// <summary>
/// What stands where in a sound image, read with the format's structures and nothing of the engine's readers: the records of the commit
/// journal in the order of their chain, and everything that has a checksum.
/// </summary>
internal sealed class FuzzLayout
{
    private readonly List<FuzzRange> _ranges = [];
    private readonly List<FuzzRecord> _records = [];

    internal FuzzLayout(FuzzImage image, int pageBytes)
    {
        PageBytes = pageBytes;
        if (image[FuzzSeedImage.DataFile] is { } data)
        {
            AddDataFile(data);
        }

        foreach ((string path, byte[] bytes) in image.Files)
        {
            if (KindOf(path) is { } kind && Is<ChunkHeader>(bytes, 0, out ChunkHeader header) && header.Magic == FormatConstants.ChunkMagic)
            {
                _ranges.Add(new FuzzRange(FuzzPart.ChunkHeader, path, 0, ChunkHeader.SizeBytes));
                if (kind == ChunkKind.Commit)
                {
                    AddRecords(path, bytes, header);
                }
                else
                {
                    AddImageSets(image, path, bytes, header);
                }
            }
        }

        _records.Sort(static (left, right) => left.Position.CompareTo(right.Position));
    }

    internal int PageBytes { get; }

    internal IReadOnlyList<FuzzRange> Ranges => _ranges;

    /// <summary>Sound ones, also those that are left over behind a torn end.</summary>
    internal IReadOnlyList<FuzzRecord> Records => _records;

    /// <summary>N of the newest header slot.</summary>
    internal long CheckpointTransaction { get; private set; }

    internal static ChunkKind? KindOf(string path) =>
        path.EndsWith(FormatConstants.CommitChunkSuffix, StringComparison.Ordinal) ? ChunkKind.Commit
        : path.EndsWith(FormatConstants.PageChunkSuffix, StringComparison.Ordinal) ? ChunkKind.Pages
        : null;

    internal static string PathOf(ChunkKind kind, long sequence) => FuzzSeedImage.Journal + "/"
        + sequence.ToString("D16", CultureInfo.InvariantCulture)
        + (kind == ChunkKind.Commit ? FormatConstants.CommitChunkSuffix : FormatConstants.PageChunkSuffix);

    /// <summary>Bytes of the page, or of the run, whose head stands at an offset; 0 when it is none that lies within the file.</summary>
    internal static int BytesOfPage(ReadOnlySpan<byte> file, long offset, int pageBytes)
    {
        if (offset < 0 || offset > file.Length - pageBytes)
        {
            return 0;
        }

        OverflowHeader header = MemoryMarshal.Read<OverflowHeader>(file[(int)offset..]);
        long count = header.Kind == PageKind.Overflow ? header.PageCount : 1;
        bool isKnown = header.Kind is PageKind.Leaf or PageKind.Branch or PageKind.Overflow or PageKind.SpaceMap;
        return isKnown && count >= 1 && count <= (file.Length - offset) / pageBytes ? (int)count * pageBytes : 0;
    }

    internal static bool Is<T>(ReadOnlySpan<byte> bytes, long offset, out T value)
        where T : struct
    {
        value = default;
        return offset >= 0 && offset <= bytes.Length - Marshal.SizeOf<T>()
            && MemoryMarshal.TryRead(bytes[(int)offset..], out value);
    }

    private void AddDataFile(byte[] data)
    {
        foreach (int offset in (ReadOnlySpan<int>)[0, PageBytes])
        {
            if (Is(data, offset, out HeaderSlot slot) && slot.Magic == FormatConstants.HeaderMagic)
            {
                _ranges.Add(new FuzzRange(FuzzPart.Slot, FuzzSeedImage.DataFile, offset, HeaderSlot.SizeBytes));
                CheckpointTransaction = Math.Max(CheckpointTransaction, slot.TransactionId.Value);
            }
        }

        for (long offset = 2L * PageBytes; offset <= data.Length - PageBytes;)
        {
            int bytes = BytesOfPage(data, offset, PageBytes);
            ReadOnlySpan<byte> page = data.AsSpan((int)offset, bytes);
            bool isSound = bytes > 0 && BitConverter.ToUInt64(page) == Checksum.Compute(page[sizeof(ulong)..]);
            if (isSound)
            {
                _ranges.Add(new FuzzRange(FuzzPart.Page, FuzzSeedImage.DataFile, offset, bytes));
            }

            offset += isSound ? bytes : PageBytes;
        }
    }

    private void AddRecords(string path, byte[] bytes, ChunkHeader chunk)
    {
        for (long at = FormatConstants.ChunkBodyOffset; Is(bytes, at, out RecordHeader header); at += FormatConstants.RecordAlignmentBytes)
        {
            bool isOurs = header.Magic == FormatConstants.RecordMagic && header.Salt == chunk.Salt && header.Sequence == chunk.Sequence
                && header.Offset == at && header.StoredBytes >= 0 && header.StoredBytes <= bytes.Length - at - RecordHeader.SizeBytes;
            int length = RecordHeader.SizeBytes + (isOurs ? (int)header.StoredBytes : 0);
            if (!isOurs || RecordLayout.ChecksumOf(bytes.AsSpan((int)at, length)) != header.Checksum)
            {
                continue;
            }

            _ranges.Add(new FuzzRange(FuzzPart.Record, path, at, length));
            _records.Add(new FuzzRecord(
                path, chunk.Sequence, at, length, header.TransactionId.Value,
                new JournalPosition(header.DurableSequence, header.DurableOffset), header.PreviousChecksum, header.Checksum));
        }
    }

    private void AddImageSets(FuzzImage image, string path, byte[] bytes, ChunkHeader chunk)
    {
        for (long at = FormatConstants.ChunkBodyOffset; Is(bytes, at, out ImageSetHead head); at += FormatConstants.BlockBytes)
        {
            bool isOurs = head.Magic == FormatConstants.ImageSetMagic && head.Salt == chunk.Salt && head.Offset == at;
            if (!isOurs)
            {
                continue;
            }

            _ranges.Add(new FuzzRange(FuzzPart.ImageSetHead, path, at, ImageSetHead.SizeBytes));
            int tableBytes = (int)((head.ImageCount + head.DeferredCount) * ImageEntry.SizeBytes);
            string tablePath = PathOf(ChunkKind.Pages, head.TableSequence);
            if (tableBytes == 0 || image[tablePath] is not { } table || head.TableOffset > table.Length - tableBytes)
            {
                continue;
            }

            _ranges.Add(new FuzzRange(FuzzPart.SetTable, tablePath, head.TableOffset, tableBytes));
            foreach (ImageEntry entry in MemoryMarshal.Cast<byte, ImageEntry>(table.AsSpan((int)head.TableOffset, tableBytes)))
            {
                if (!entry.IsLink && !entry.IsRemoved)
                {
                    AddImage(image, entry);
                }
            }
        }
    }

    private void AddImage(FuzzImage image, ImageEntry entry)
    {
        string path = PathOf(ChunkKind.Pages, entry.Sequence);
        if (image[path] is { } bytes && BytesOfPage(bytes, entry.Offset, PageBytes) is > 0 and int length)
        {
            _ranges.Add(new FuzzRange(FuzzPart.SetImage, path, entry.Offset, length));
        }
    }
}

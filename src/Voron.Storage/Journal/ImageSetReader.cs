using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.IO;

namespace Voron.Storage.Journal;

/// <summary>Finds complete image sets for recovery; <see cref="MappedImages"/> reads their images.</summary>
internal sealed class ImageSetReader(JournalFiles files)
{
    private readonly List<Chunk> _chunks = files.ListChunks(ChunkKind.Pages);

    internal IReadOnlyList<Chunk> Chunks => _chunks;

    /// <summary>Returns the images of the set whose head is at a place; none if there is no such set.</summary>
    internal IReadOnlyList<ImageEntry> List(JournalPosition place, long checkpoint) =>
        place == JournalPosition.None ? [] : TryRead(place, checkpoint, out _)?.Images ?? [];

    /// <summary>Reads the image set whose head is at a place; returns null with the reason if there is none.</summary>
    internal ImageSet? TryRead(JournalPosition place, long checkpoint, out string reason)
    {
        if (!TryFind(place.Sequence, out Chunk chunk))
        {
            reason = $"there is no page chunk {place.Sequence}";
            return null;
        }

        if (place.Offset > chunk.Bytes - FormatConstants.BlockBytes)
        {
            reason = $"'{chunk.Path}' ends before offset {place.Offset}";
            return null;
        }

        if (FindHead(chunk, place, checkpoint) is not { } head)
        {
            reason = $"there is no sound head of checkpoint {checkpoint} at {place}";
            return null;
        }

        if (!IsPossible(head))
        {
            Throw.ImpossibleHead(chunk.Path, checkpoint);
        }

        ImageEntry[]? table = ReadTable(head);
        if (table is null)
        {
            // The table is on the device before the head is written. Treating the set as incomplete would lead back to a checkpoint whose
            // pages this one may already have overwritten.
            Throw.BadTable(chunk.Path, checkpoint);
        }

        reason = string.Empty;
        int images = (int)head.ImageCount;
        return new ImageSet(head, table[..images], Resolve(chunk.Path, head, table[images..]));
    }

    /// <summary>
    /// Returns every place that looks like the head of an image set, for a salvage without a header slot; <see cref="TryRead"/> decides
    /// whether it is one.
    /// </summary>
    internal List<(JournalPosition Place, long Checkpoint)> FindHeads()
    {
        const int PieceBytes = 1 << 20;
        List<(JournalPosition Place, long Checkpoint)> heads = [];
        byte[] piece = new byte[PieceBytes];
        foreach (Chunk chunk in _chunks)
        {
            for (long start = 0; start < chunk.Bytes; start += PieceBytes)
            {
                int length = (int)Math.Min(PieceBytes, chunk.Bytes - start);
                Read(chunk, start, piece.AsSpan(0, length), out _);
                for (int at = 0; at + FormatConstants.BlockBytes <= length; at += FormatConstants.BlockBytes)
                {
                    ImageSetHead head = MemoryMarshal.Read<ImageSetHead>(piece.AsSpan(at));
                    bool isHere = head.Offset == start + at || head.Offset == start + at - FormatConstants.BlockBytes;
                    (JournalPosition, long) found = (new JournalPosition(chunk.Sequence, head.Offset), head.Checkpoint);
                    bool isHead = isHere && head.Magic == FormatConstants.ImageSetMagic && head.Sequence == chunk.Sequence;
                    if (isHead && heads.LastOrDefault() != found)
                    {
                        heads.Add(found);
                    }
                }
            }
        }

        return heads;
    }

    /// <summary>Reads the head or, if its block is damaged or unreadable, the copy in the next block.</summary>
    private ImageSetHead? FindHead(Chunk chunk, JournalPosition place, long checkpoint)
    {
        return HeadAt(chunk, place.Offset, place, checkpoint)
            ?? HeadAt(chunk, place.Offset + FormatConstants.BlockBytes, place, checkpoint);
    }

    private ImageSetHead? HeadAt(in Chunk chunk, long offset, JournalPosition place, long checkpoint)
    {
        byte[] bytes = new byte[ImageSetHead.SizeBytes];
        if (!TryReadBytes(chunk, offset, bytes))
        {
            return null;
        }

        ImageSetHead head = MemoryMarshal.Read<ImageSetHead>(bytes);
        return IsSound(head, bytes, chunk, place, checkpoint) ? head : null;
    }

    private bool IsSound(in ImageSetHead head, ReadOnlySpan<byte> bytes, in Chunk chunk, JournalPosition place, long checkpoint)
    {
        bool named = head.Magic == FormatConstants.ImageSetMagic
            && head.FormatVersion == FormatConstants.FormatVersion
            && head.Salt == chunk.Salt
            && head.Sequence == chunk.Sequence
            && head.Offset == place.Offset
            && head.DatabaseIdLow == files.DatabaseId.Low
            && head.DatabaseIdHigh == files.DatabaseId.High
            && head.Checkpoint == checkpoint
            && head.ImageCount >= 0
            && head.DeferredCount >= 0;
        return named && head.Checksum == Checksum.Compute(bytes[sizeof(ulong)..]);
    }

    private static bool IsPossible(in ImageSetHead head) =>
        head.TransactionId.Value is >= 0 and < FormatConstants.CountLimit
        && head.NextSetSequence is > 0 and < FormatConstants.CountLimit
        && head.NextSetOffset is >= FormatConstants.ChunkBodyOffset and < FormatConstants.CountLimit
        && head.NextSetOffset % FormatConstants.BlockBytes == 0
        && head.PendingSequence >= 0 && head.PendingSequence <= head.CommitSequence;

    private ImageEntry[]? ReadTable(in ImageSetHead head)
    {
        long count = head.ImageCount + head.DeferredCount;
        if (count == 0)
        {
            return [];
        }

        ImageEntry[]? table = ReadEntries(new JournalPosition(head.TableSequence, head.TableOffset), count, out ulong checksum);
        bool matches = checksum == head.TableChecksum;
        return matches ? table : null;
    }

    /// <summary>Returns the deferred pages that a deferred part and the parts before it list. Throws if one of them is missing.</summary>
    private ImageEntry[] Resolve(string path, in ImageSetHead head, ImageEntry[] deferred)
    {
        if (deferred is not [{ IsLink: true }, ..])
        {
            return deferred;
        }

        List<ImageEntry[]> parts = [deferred];
        JournalPosition start = new(head.TableSequence, head.TableOffset + (head.ImageCount * ImageEntry.SizeBytes));
        while (parts[^1] is [{ IsLink: true } link, ..])
        {
            JournalPosition place = new(link.Sequence, link.Offset);
            ulong checksum = 0;
            ImageEntry[]? part = EndsBefore(start, link) ? ReadEntries(place, link.PageCount, out checksum) : null;
            bool isNamed = checksum == link.Checksum;
            if (part is null || !isNamed)
            {
                // As with the table: an older set is no base any more.
                Throw.BadLink(path, head.Checkpoint, link);
            }

            start = place;
            parts.Add(part);
        }

        parts.Reverse();
        SortedDictionary<PageNumber, ImageEntry> pages = [];
        foreach (ImageEntry entry in parts.SelectMany(static part => part is [{ IsLink: true }, ..] ? part[1..] : part))
        {
            if (!entry.IsRemoved)
            {
                pages[entry.PageNumber] = entry;
            }
            else if (!pages.Remove(entry.PageNumber))
            {
                Throw.BadRemoval(path, head.Checkpoint, entry.PageNumber);
            }
        }

        return [.. pages.Values];
    }

    /// <summary>So no chain of links comes back to itself, or reads a chunk more than once.</summary>
    private static bool EndsBefore(JournalPosition start, in ImageEntry link) =>
        link.PageCount > 0 && (link.Sequence < start.Sequence
            || (link.Sequence == start.Sequence && link.Offset < start.Offset
                && link.PageCount <= (start.Offset - link.Offset) / ImageEntry.SizeBytes));

    /// <summary>Returns the entries at a place and their checksum; null if they cannot be there or cannot be read.</summary>
    private ImageEntry[]? ReadEntries(JournalPosition place, long count, out ulong checksum)
    {
        checksum = 0;
        if (count < 0 || count > Array.MaxLength / Unsafe.SizeOf<ImageEntry>() || !TryFind(place.Sequence, out Chunk chunk))
        {
            return null;
        }

        if (count * ImageEntry.SizeBytes > chunk.Bytes)
        {
            return null;
        }

        ImageEntry[] entries = new ImageEntry[count];
        Span<byte> bytes = MemoryMarshal.AsBytes(entries.AsSpan());
        bool isRead = TryReadBytes(chunk, place.Offset, bytes);
        checksum = Checksum.Compute(bytes);
        return isRead ? entries : null;
    }

    private bool TryFind(long sequence, out Chunk chunk)
    {
        int index = _chunks.FindIndex(candidate => candidate.Sequence == sequence);
        chunk = index < 0 ? default : _chunks[index];
        return index >= 0;
    }

    private bool TryReadBytes(in Chunk chunk, long offset, Span<byte> bytes)
    {
        if (offset < FormatConstants.ChunkBodyOffset || offset > chunk.Bytes - bytes.Length)
        {
            return false;
        }

        int read = Read(chunk, offset, bytes, out bool isWhole);
        if (read < bytes.Length)
        {
            // If the set were treated as incomplete, an older one would be applied to pages that this one has already changed.
            Throw.ShortRead(chunk.Path, read, bytes.Length);
        }

        return isWhole;
    }

    private int Read(in Chunk chunk, long offset, Span<byte> bytes, out bool isWhole)
    {
        IO.Throw.IfFailed(files.Disk.OpenFile(chunk.Path, FileOpening.ReadOnly, out IDiskFile? file), "open", chunk.Path);
        using (file)
        {
            BlockReads.Unreadable unreadable = default;
            IoError error = BlockReads.Read(file!, offset, bytes, out int read, ref unreadable);
            IO.Throw.IfFailed(error, "read", chunk.Path, offset);
            isWhole = unreadable.Count == 0;
            return read;
        }
    }
}

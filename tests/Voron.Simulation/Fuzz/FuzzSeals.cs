using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Journal;

namespace Voron.Simulation.Fuzz;

/// <summary>
/// Makes checksums true again after a forgery: of what was changed, and of everything that repeats the checksum of something changed, up to
/// the heads that begin the chains.
/// </summary>
internal sealed class FuzzSeals(FuzzLayout layout, FuzzImage image)
{
    /// <summary>By the place of a page image: its new checksum.</summary>
    private readonly Dictionary<(string Path, long Offset), ulong> _images = [];

    /// <summary>By the old checksum of a commit record: its new one.</summary>
    private readonly Dictionary<ulong, ulong> _records = [];

    internal void Seal(IReadOnlyCollection<FuzzRange> changed)
    {
        foreach (FuzzRange range in changed.Where(static range => range.Part is FuzzPart.Page or FuzzPart.SetImage))
        {
            SealPage(range);
        }

        foreach (FuzzRange range in changed.Where(static range => range.Part is FuzzPart.Slot or FuzzPart.ChunkHeader))
        {
            Write(Of(range), Checksum.Compute(Of(range)[sizeof(ulong)..]));
        }

        SealRecords([.. changed.Where(static range => range.Part == FuzzPart.Record)]);
        SealImageSets();
    }

    private Span<byte> Of(in FuzzRange range) => image[range.Path].AsSpan((int)range.Offset, range.Bytes);

    private static void Write(Span<byte> bytes, ulong checksum) => BitConverter.TryWriteBytes(bytes, checksum);

    private void SealPage(in FuzzRange range)
    {
        byte[] file = image[range.Path]!;
        int length = FuzzLayout.BytesOfPage(file, range.Offset, layout.PageBytes);
        Span<byte> page = length > 0 ? file.AsSpan((int)range.Offset, length) : Of(range);
        ulong checksum = Checksum.Compute(page[sizeof(ulong)..]);
        Write(page, checksum);
        _images[(range.Path, range.Offset)] = checksum;
    }

    private void SealRecords(FuzzRange[] changed)
    {
        foreach (FuzzRecord record in layout.Records)
        {
            bool isChanged = changed.Any(range => range.Path == record.Path && range.Offset == record.Offset);
            bool follows = _records.TryGetValue(record.Previous, out ulong previous);
            if (!isChanged && !follows)
            {
                continue;
            }

            Span<byte> rest = image.Own(record.Path).AsSpan((int)record.Offset);
            ref RecordHeader header = ref MemoryMarshal.AsRef<RecordHeader>(rest);
            header.PreviousChecksum = follows ? previous : header.PreviousChecksum;
            bool fits = header.StoredBytes >= 0 && header.StoredBytes <= rest.Length - RecordHeader.SizeBytes;
            int length = fits ? RecordHeader.SizeBytes + (int)header.StoredBytes : record.Bytes;
            header.Checksum = RecordLayout.ChecksumOf(rest[..length]);
            _records[record.Checksum] = header.Checksum;
        }
    }

    /// <summary>All tables and heads, those that others link to first: cheap, and a forged head leads to whatever it says.</summary>
    private void SealImageSets()
    {
        foreach (FuzzRange range in layout.Ranges.Where(static range => range.Part == FuzzPart.SetTable))
        {
            Span<byte> bytes = image.Own(range.Path).AsSpan((int)range.Offset, range.Bytes);
            foreach (ref ImageEntry entry in MemoryMarshal.Cast<byte, ImageEntry>(bytes))
            {
                string path = FuzzLayout.PathOf(ChunkKind.Pages, entry.Sequence);
                entry.Checksum = entry.IsLink
                    ? ChecksumAt(path, entry.Offset, entry.PageCount) ?? entry.Checksum
                    : _images.GetValueOrDefault((path, entry.Offset), entry.Checksum);
            }
        }

        foreach (FuzzRange range in layout.Ranges.Where(static range => range.Part == FuzzPart.ImageSetHead))
        {
            Span<byte> bytes = image.Own(range.Path).AsSpan((int)range.Offset, range.Bytes);
            ref ImageSetHead head = ref MemoryMarshal.AsRef<ImageSetHead>(bytes);
            head.CommitChecksum = _records.GetValueOrDefault(head.CommitChecksum, head.CommitChecksum);
            string path = FuzzLayout.PathOf(ChunkKind.Pages, head.TableSequence);
            head.TableChecksum = ChecksumAt(path, head.TableOffset, head.ImageCount + head.DeferredCount) ?? head.TableChecksum;
            head.Checksum = Checksum.Compute(bytes[sizeof(ulong)..]);
        }
    }
    /// <summary>The checksum of this number of entries; null when they are not in the file.</summary>
    private ulong? ChecksumAt(string path, long offset, long count)
    {
        byte[] file = image[path] ?? [];
        return count > 0 && count < file.Length && offset >= 0 && offset <= file.Length - (count * ImageEntry.SizeBytes)
            ? Checksum.Compute(file.AsSpan((int)offset, (int)count * ImageEntry.SizeBytes))
            : null;
    }
}

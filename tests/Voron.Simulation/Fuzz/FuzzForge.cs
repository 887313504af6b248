using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Simulation.Fuzz;

/// <summary>
/// Tier 2: bytes that nobody would write, under checksums that are true. Aims at the numbers that readers follow: counts, offsets, lengths,
/// children, references, positions.
/// </summary>
internal sealed class FuzzForge(FuzzSeedImage seed, FuzzImage image, SimRandom random)
{
    private readonly List<FuzzRange> _changed = [];

    /// <summary>Changes one range; gives what was done in words.</summary>
    internal string Apply()
    {
        FuzzPart part = random.OneIn(2) ? FuzzPart.Page : (FuzzPart)random.Below((int)FuzzPart.SetImage + 1);
        FuzzRange[] ranges = [.. seed.Layout.Ranges.Where(range => range.Part == part)];
        if (ranges.Length == 0)
        {
            ranges = [.. seed.Layout.Ranges];
        }

        if (ranges.Length == 0)
        {
            return "nothing";
        }

        FuzzRange range = ranges[random.Below(ranges.Length)];
        Span<byte> bytes = image.Own(range.Path).AsSpan((int)range.Offset, range.Bytes);
        _changed.Add(range);
        string what = range.Part switch
        {
            FuzzPart.Page or FuzzPart.SetImage => ForgePage(bytes),
            FuzzPart.Record => ForgeRecord(bytes),
            FuzzPart.SetTable when random.OneIn(2) => ForgeEntryOfTable(bytes),
            FuzzPart.SetTable => ForgeNumber(bytes, random.Below(bytes.Length / sizeof(long)) * sizeof(long), sizeof(long)),
            FuzzPart.ImageSetHead when random.OneIn(2) => ForgeNumber(bytes, 56 + (random.Below(15) * sizeof(long)), sizeof(long)),
            _ => ForgeAnything(bytes, from: sizeof(ulong)),
        };
        return $"{range.Part} at {range.Offset} of {range.Path}: {what}";
    }

    /// <summary>Makes all checksums of what was changed true, and of what names them.</summary>
    internal void Seal() => new FuzzSeals(seed.Layout, image).Seal(_changed);

    private string ForgePage(Span<byte> page)
    {
        PageHeader header = MemoryMarshal.Read<PageHeader>(page);
        bool isNode = header.Kind is PageKind.Leaf or PageKind.Branch && header.Count > 0
            && PageHeader.SizeBytes + (header.Count * NodeSlot.SizeBytes) <= page.Length;
        switch (random.Below(isNode ? 12 : 5))
        {
            case 0:
                return ForgeNumber(page, 26, sizeof(ushort));
            case 1:
                return ForgeNumber(page, 28, sizeof(uint));
            case 2:
                return ForgeNumber(page, random.OneIn(2) ? 8 : 16, sizeof(long));
            case 3:
                page[24] = (byte)random.Below(6);
                return $"kind {page[24]}";
            case 4:
                return ForgeAnything(page, from: PageHeader.SizeBytes);
            case 5:
                return CopyPage(page);
            default:
                return ForgeEntry(page, header, random.Below(header.Count));
        }
    }

    /// <summary>Another page's content under this one's number.</summary>
    private string CopyPage(Span<byte> page)
    {
        FuzzRange[] pages = [.. seed.Layout.Ranges.Where(static range => range.Part == FuzzPart.Page)];
        if (pages.Length == 0)
        {
            return "nothing";
        }

        FuzzRange other = pages[random.Below(pages.Length)];
        byte[] number = [.. page[8..16]];
        int length = Math.Min(page.Length, other.Bytes);
        seed.Image[other.Path].AsSpan((int)other.Offset, length).CopyTo(page);
        number.CopyTo(page[8..]);
        return $"the content of the page at {other.Offset}";
    }

    private string ForgeEntry(Span<byte> page, PageHeader header, int index)
    {
        int slotAt = PageHeader.SizeBytes + (index * NodeSlot.SizeBytes);
        NodeSlot slot = MemoryMarshal.Read<NodeSlot>(page[slotAt..]);
        int entry = slot.Offset;
        int key = slot.KeyLength & 0x7FFF;
        if (seed.Kind != TreeKind.Ordered && header.Kind == PageKind.Leaf && random.OneIn(2))
        {
            return "block: " + (seed.Kind == TreeKind.Fixed ? ForgeColumns(page, entry, key) : ForgeBlock(page, entry, key));
        }

        switch (random.Below(5))
        {
            case 0:
                return "slot: " + ForgeNumber(page, slotAt + (2 * random.Below(4)), sizeof(ushort));
            case 1 when header.Kind == PageKind.Branch && entry + sizeof(long) <= page.Length:
            case 2 when header.Kind == PageKind.Branch && entry + sizeof(long) <= page.Length:
            case 3 when header.Kind == PageKind.Branch && entry + sizeof(long) <= page.Length:
                return "child: " + ForgeNumber(page, entry, sizeof(long));
            case 1 when entry + sizeof(ushort) <= page.Length:
                return "value length: " + ForgeNumber(page, entry, sizeof(ushort));
            case 2 or 3 when entry + sizeof(ushort) + key + 24 <= page.Length:
                // Where an overflow reference, or the record of a tree, has its numbers.
                return "value: " + ForgeNumber(page, entry + sizeof(ushort) + key + (8 * random.Below(3)), sizeof(long));
            default:
                return ForgeAnything(page, from: Math.Min(entry, page.Length - 1));
        }
    }

    /// <summary>The end of the key or its first value, or the values behind it with their lengths.</summary>
    private string ForgeBlock(Span<byte> page, int entry, int key)
    {
        if (entry + sizeof(ushort) > page.Length)
        {
            return "nothing";
        }

        int values = BinaryPrimitives.ReadUInt16LittleEndian(page[entry..]);
        int at = entry + sizeof(ushort) + random.Below(key + Math.Clamp(values, 1, page.Length));
        return ForgeNumber(page, at, sizeof(byte));
    }

    /// <summary>The head of a block of columns, or a number somewhere in them.</summary>
    private string ForgeColumns(Span<byte> page, int entry, int key)
    {
        int at = entry + sizeof(ushort) + key;
        if (at + FixedHead.SizeBytes > page.Length)
        {
            return "nothing";
        }

        int columns = BinaryPrimitives.ReadUInt16LittleEndian(page[entry..]) - FixedHead.SizeBytes;
        return random.OneIn(2)
            ? "head: " + ForgeNumber(page, at + (sizeof(ushort) * random.Below(FixedHead.SizeBytes / sizeof(ushort))), sizeof(ushort))
            : ForgeNumber(page, at + FixedHead.SizeBytes + random.Below(Math.Clamp(columns, 1, page.Length)), 1 << random.Below(4));
    }

    /// <summary>Makes an entry a link or a removal, or forges a link that is there.</summary>
    private string ForgeEntryOfTable(Span<byte> table)
    {
        Span<ImageEntry> entries = MemoryMarshal.Cast<byte, ImageEntry>(table);
        int at = random.Below(entries.Length);
        for (int i = 0; i < entries.Length; i++)
        {
            at = entries[i].IsLink ? i : at;
        }

        if (entries[at].IsLink)
        {
            return "link: " + ForgeNumber(table, (at * ImageEntry.SizeBytes) + (random.Below(5) * sizeof(long)), sizeof(long));
        }

        int field = random.OneIn(2) ? 0 : 32;
        table.Slice((at * ImageEntry.SizeBytes) + field, sizeof(long)).Clear();
        return $"entry {at} with 0 at {field}";
    }

    private string ForgeRecord(Span<byte> record)
    {
        if (random.OneIn(3) || record.Length <= RecordHeader.SizeBytes)
        {
            return "head: " + ForgeNumber(record, 40 + (random.Below(7) * sizeof(long)), sizeof(long));
        }

        return "body: " + ForgeAnything(record, RecordHeader.SizeBytes);
    }

    private string ForgeAnything(Span<byte> bytes, int from)
    {
        int at = from + random.Below(Math.Max(1, bytes.Length - from));
        if (random.OneIn(3))
        {
            int length = Math.Min(random.Between(1, 40), bytes.Length - at);
            random.Fill(bytes.Slice(at, length));
            return $"{length} random bytes at {at}";
        }

        int width = 1 << random.Below(4);
        return ForgeNumber(bytes, at / width * width, width);
    }

    private string ForgeNumber(Span<byte> bytes, int at, int width)
    {
        if (at < 0 || at > bytes.Length - width)
        {
            return "nothing";
        }

        Span<byte> number = stackalloc byte[sizeof(long)];
        number.Clear();
        bytes.Slice(at, width).CopyTo(number);
        long old = BinaryPrimitives.ReadInt64LittleEndian(number);
        long forged = Number(old);
        BinaryPrimitives.WriteInt64LittleEndian(number, forged);
        number[..width].CopyTo(bytes[at..]);
        return $"{forged} instead of {old} at {at}";
    }

    private long Number(long old) => random.Below(16) switch
    {
        0 => 0,
        1 => 1,
        2 => old + 1,
        3 => old - 1,
        4 => -1,
        5 => long.MinValue,
        6 => long.MaxValue,
        7 => 1L << 31,
        8 => (1L << 31) - 1,
        9 => 1L << 32,
        10 => long.MaxValue / seed.PageBytes,
        11 => ((image[FuzzSeedImage.DataFile]?.Length ?? 0) / seed.PageBytes) - random.Below(3),
        12 => random.Between(2, 20),
        13 => seed.PageBytes - random.Below(40),
        14 => old ^ (1L << random.Below(64)),
        _ => (long)random.Next(),
    };
}

using System.Globalization;
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Journal;
using Voron.Storage.Pages;
using Voron.Storage.Trees;

namespace Voron.Storage.Rescue;

/// <summary>Decodes one page of the data file, whatever is wrong with it, and reports what is wrong.</summary>
internal sealed class PageInspection(InspectedFiles files)
{
    private readonly int _pageBytes = files.Identity.PageBytes;
    private readonly List<KeyValuePair<string, string>> _fields = [];
    private readonly List<PageEntry> _entries = [];
    private readonly List<string> _problems = [];
    private long _fileBytes;

    internal PageReport Read(PageNumber page)
    {
        IO.Throw.IfFailed(files.Data.GetLength(out _fileBytes), "read the length of", files.Data.Path);
        long pages = (_fileBytes + _pageBytes - 1) / _pageBytes;
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(page.Value, pages, "pageNumber");
        byte[] bytes = new byte[_pageBytes];
        Fill(page, bytes);
        if ((page + 1).ByteOffset(_pageBytes) > _fileBytes)
        {
            _problems.Add(Text($"The file ends in this page, after {_fileBytes % _pageBytes} of its bytes: it was cut short."));
        }

        return new PageReport
        {
            PageNumber = page.Value,
            File = files.Data.Path,
            Content = Decode(page, bytes),
            Fields = _fields,
            Entries = _entries,
            Problems = _problems,
            ImageAt = FindImage(page),
            Bytes = bytes,
        };
    }

    private PageContent Decode(PageNumber page, byte[] bytes)
    {
        if (page < FormatConstants.CatalogRootPage)
        {
            DecodeSlot(page, bytes);
            return PageContent.HeaderSlot;
        }

        if (!bytes.AsSpan().ContainsAnyExcept((byte)0))
        {
            return PageContent.Empty;
        }

        PageHeader header = MemoryMarshal.Read<PageHeader>(bytes);
        if (header.Kind is < PageKind.Leaf or > PageKind.SpaceMap)
        {
            _problems.Add(Text($"No page has the kind {(byte)header.Kind}: it is free, inside an overflow run, or damaged."));
            return PageContent.Unknown;
        }

        ListHeader(header);
        if (header.PageNumber != page)
        {
            _problems.Add(Text(
                $"It says that it is page {header.PageNumber}: it was written to the wrong place, or its header is damaged."));
        }

        switch (header.Kind)
        {
            case PageKind.Overflow:
                DecodeRun(page, bytes);
                return PageContent.Overflow;
            case PageKind.SpaceMap:
                CompareChecksum(header.Checksum, Checksum.Compute(bytes.AsSpan(sizeof(ulong))));
                return PageContent.SpaceMap;
            default:
                CompareChecksum(header.Checksum, Checksum.Compute(bytes.AsSpan(sizeof(ulong))));
                DecodeNode(bytes);
                return header.Kind == PageKind.Leaf ? PageContent.Leaf : PageContent.Branch;
        }
    }

    private void ListHeader(in PageHeader header)
    {
        Field(nameof(PageHeader.Checksum), Text($"0x{header.Checksum:X16}"));
        Field(nameof(PageHeader.PageNumber), header.PageNumber.Value);
        Field(nameof(PageHeader.TransactionId), header.TransactionId.Value);
        Field(nameof(PageHeader.Kind), Text($"{(byte)header.Kind}"));
        Field(nameof(PageHeader.Flags), header.Flags);
        if (header.Kind != PageKind.Overflow)
        {
            Field(nameof(PageHeader.Count), header.Count);
            Field(nameof(PageHeader.HeapUsedBytes), header.HeapUsedBytes);
            Field(nameof(PageHeader.PrefixBytes), header.PrefixBytes);
        }
    }

    private void DecodeSlot(PageNumber page, byte[] bytes)
    {
        HeaderSlot slot = MemoryMarshal.Read<HeaderSlot>(bytes);
        Field(nameof(HeaderSlot.Checksum), Text($"0x{slot.Checksum:X16}"));
        Field(nameof(HeaderSlot.Magic), Text($"0x{slot.Magic:X16}"));
        Field(nameof(HeaderSlot.FormatVersion), slot.FormatVersion);
        Field(nameof(HeaderSlot.PageBytes), slot.PageBytes);
        Field("DatabaseId", Text($"{slot.DatabaseIdHigh:x16}{slot.DatabaseIdLow:x16}"));
        Field(nameof(HeaderSlot.Generation), slot.Generation);
        Field(nameof(HeaderSlot.Checkpoint), slot.Checkpoint);
        Field(nameof(HeaderSlot.TransactionId), slot.TransactionId.Value);
        Field("ImageSet", new JournalPosition(slot.SetSequence, slot.SetOffset).ToString());
        Field("NextSet", new JournalPosition(slot.NextSetSequence, slot.NextSetOffset).ToString());
        Field(nameof(HeaderSlot.SlotNumber), slot.SlotNumber);
        Field(nameof(HeaderSlot.IsAtRest), slot.IsAtRest);
        Field(nameof(HeaderSlot.CommitSequence), slot.CommitSequence);
        Field(nameof(HeaderSlot.EndSequence), slot.EndSequence);
        if (page.Value == 1 && !bytes.AsSpan(0, HeaderSlot.SizeBytes).ContainsAnyExcept((byte)0))
        {
            // As in a new database, before its first checkpoint.
            return;
        }

        if (slot.Magic != FormatConstants.HeaderMagic)
        {
            _problems.Add("It does not start with this engine's header.");
        }

        CompareChecksum(slot.Checksum, Checksum.Compute(bytes.AsSpan(sizeof(ulong), HeaderSlot.SizeBytes - sizeof(ulong))));
    }

    private void DecodeNode(byte[] bytes)
    {
        if (NodeReader.TryOpen(bytes, bytes, out NodeReader node) is { } problem)
        {
            _problems.Add(problem);
            return;
        }

        if (node.FindProblem() is { } inside)
        {
            _problems.Add(inside);
        }

        for (int i = 0; i < node.Count; i++)
        {
            if (node.TryGetEntry(i, out NodeEntry entry) is null)
            {
                _entries.Add(Describe(node.KeyOf(i, entry), entry, node.Kind));
            }
        }
    }

    private static PageEntry Describe(byte[] key, in NodeEntry entry, PageKind kind) => (kind, entry.IsOverflow) switch
    {
        (PageKind.Branch, _) => new PageEntry(key, 0, entry.Child.Value),
        (_, true) => new PageEntry(key, entry.Overflow.IsList ? -1 : entry.Overflow.ValueBytes, entry.Overflow.FirstPage.Value),
        _ => new PageEntry(key, entry.Value.Length, -1),
    };

    private void DecodeRun(PageNumber page, byte[] first)
    {
        OverflowHeader header = MemoryMarshal.Read<OverflowHeader>(first);
        Field(nameof(OverflowHeader.PageCount), header.PageCount);
        if (header.PageCount == 0 || header.PageCount > (_fileBytes / _pageBytes) - page.Value)
        {
            _problems.Add(Text($"A run of {header.PageCount} pages does not lie in the file."));
            return;
        }

        RunningChecksum checksum = new((header.PageCount * (long)_pageBytes) - sizeof(ulong));
        checksum.Append(first.AsSpan(sizeof(ulong)));
        byte[] next = new byte[_pageBytes];
        for (PageNumber at = page + 1; at < page + header.PageCount; at++)
        {
            Fill(at, next);
            checksum.Append(next);
        }

        CompareChecksum(header.Checksum, checksum.Value);
    }

    /// <summary>Reads a page of the file, or the part of the last one that exists.</summary>
    private void Fill(PageNumber page, byte[] bytes)
    {
        long offset = page.ByteOffset(_pageBytes);
        BlockReads.Unreadable unreadable = default;
        IoError error = BlockReads.Read(files.Data, offset, bytes, out int read, ref unreadable);
        IO.Throw.IfFailed(error, "read", files.Data.Path, offset);
        if (unreadable.Count > 0)
        {
            _problems.Add(Text($"The device cannot read it at offset {unreadable.First} of the file; zeros are shown instead."));
        }

        if (read < Math.Min(_pageBytes, _fileBytes - offset))
        {
            Journal.Throw.ShortRead(files.Data.Path, offset + read, _fileBytes);
        }
    }

    private void CompareChecksum(ulong expected, ulong found)
    {
        if (expected != found)
        {
            _problems.Add(Text($"Its checksum is 0x{expected:X16}, its bytes say 0x{found:X16}: they are not what was written."));
        }
    }

    /// <summary>Reads the image set that the header slot names; damage there is reported for the journal.</summary>
    private string? FindImage(PageNumber page)
    {
        if (files.Identity.Slot is not { Checkpoint: > 0 } slot)
        {
            return null;
        }

        try
        {
            ImageSetReader reader = new(files.Journal);
            JournalPosition place = new(slot.SetSequence, slot.SetOffset);
            ImageEntry[] images = reader.TryRead(place, slot.Checkpoint, out _) is { } set ? [.. set.Images, .. set.Deferred] : [];
            foreach (ImageEntry image in images)
            {
                if (page >= image.PageNumber && page - image.PageNumber < image.PageCount)
                {
                    return new JournalPosition(image.Sequence, image.Offset).ToString();
                }
            }
        }
        catch (StorageException)
        {
            return null;
        }

        return null;
    }

    private void Field(string name, long value) => Field(name, Text($"{value}"));

    private void Field(string name, string value) => _fields.Add(new KeyValuePair<string, string>(name, value));

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}

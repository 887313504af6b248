using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Tests.Doors;

namespace Voron.Storage.Tests.Checks;

/// <summary>
/// The data file of a closed database, to be damaged in chosen places; checksums are made true again unless told otherwise.
/// </summary>
internal sealed class DataFilePatch
{
    internal const int PageBytes = 4096;
    private const int FirstSlot = 32;

    private readonly string _path;
    private readonly byte[] _file;

    internal DataFilePatch(TemporaryFolder folder)
    {
        _path = Sample.Data(folder);
        _file = File.ReadAllBytes(_path);
        Root = RootOf("sample");
        OtherRoot = RootOf("other");
        FirstLeaf = Child(Root, 0);
        SecondLeaf = Child(Root, 1);
    }

    internal PageNumber Root { get; }

    internal PageNumber OtherRoot { get; }

    internal PageNumber FirstLeaf { get; }

    internal PageNumber SecondLeaf { get; }

    internal Span<byte> Page(PageNumber page) => _file.AsSpan((int)page.ByteOffset(PageBytes), PageBytes);

    internal ref PageHeader Header(PageNumber page) => ref MemoryMarshal.AsRef<PageHeader>(Page(page));

    internal ref NodeSlot Slot(PageNumber page, int index) =>
        ref MemoryMarshal.AsRef<NodeSlot>(Page(page)[(FirstSlot + (index * NodeSlot.SizeBytes))..]);

    /// <summary>An entry's bytes and what follows it in the page.</summary>
    internal Span<byte> Entry(PageNumber page, int index) => Page(page)[Slot(page, index).Offset..];

    internal PageNumber Child(PageNumber page, int index) => new(BinaryPrimitives.ReadInt64LittleEndian(Entry(page, index)));

    internal void SetChild(PageNumber page, int index, PageNumber child) =>
        BinaryPrimitives.WriteInt64LittleEndian(Entry(page, index), child.Value);

    internal void SetValueLength(PageNumber page, int index, int bytes) =>
        BinaryPrimitives.WriteUInt16LittleEndian(Entry(page, index), (ushort)bytes);

    /// <summary>The entry that lies lowest in the page: behind it is the most room.</summary>
    internal int LowestEntry(PageNumber page)
    {
        int lowest = 0;
        for (int i = 1; i < Header(page).Count; i++)
        {
            lowest = Slot(page, i).Offset < Slot(page, lowest).Offset ? i : lowest;
        }

        return lowest;
    }

    /// <summary>The catalog record of a tree without pending entries: all but its last field.</summary>
    internal ref TreeRecord Record(string name) =>
        ref Unsafe.As<byte, TreeRecord>(ref MemoryMarshal.GetReference(RecordBytes(name)));

    internal int CatalogIndex(string name)
    {
        for (int i = 0; i < Header(FormatConstants.CatalogRootPage).Count; i++)
        {
            int prefix = Header(FormatConstants.CatalogRootPage).PrefixBytes;
            Span<byte> tail = Entry(FormatConstants.CatalogRootPage, i)
                .Slice(sizeof(ushort), Slot(FormatConstants.CatalogRootPage, i).KeyLength);
            if (tail.SequenceEqual(Sample.Bytes(name).AsSpan(prefix)))
            {
                return i;
            }
        }

        throw new InvalidOperationException($"no tree {name}");
    }

    /// <summary>The leaf, index and first page of one of the values that live in overflow runs.</summary>
    internal (PageNumber Leaf, int Index, PageNumber Run) Overflow(int number) => Overflow(number, isList: false);

    /// <summary>The leaf and index of the value that is in pieces, and the first page of the list of them.</summary>
    internal (PageNumber Leaf, int Index, PageNumber Run) PieceList => Overflow(0, isList: true);

    /// <summary>A reference of the list of pieces.</summary>
    internal ref OverflowReference Piece(int number) => ref MemoryMarshal.AsRef<OverflowReference>(
        Page(PieceList.Run)[(OverflowHeader.SizeBytes + (number * OverflowReference.SizeBytes))..]);

    private (PageNumber Leaf, int Index, PageNumber Run) Overflow(int number, bool isList)
    {
        for (PageNumber leaf = FormatConstants.CatalogRootPage; leaf.Value < _file.Length / PageBytes; leaf++)
        {
            for (int i = 0; Header(leaf).Kind == PageKind.Leaf && i < Header(leaf).Count; i++)
            {
                if (Slot(leaf, i).KeyLength >= 0x8000 && Reference(leaf, i).IsList == isList && number-- == 0)
                {
                    return (leaf, i, Reference(leaf, i).FirstPage);
                }
            }
        }

        throw new InvalidOperationException("no overflow value");
    }

    internal ref OverflowReference Reference(PageNumber leaf, int index) => ref MemoryMarshal.AsRef<OverflowReference>(
        Entry(leaf, index)[(sizeof(ushort) + (Slot(leaf, index).KeyLength & 0x7FFF))..]);

    internal void SetUsed(PageNumber page, bool isUsed)
    {
        ref byte bits = ref Page(FormatConstants.FirstSpaceMapPage)[PageHeader.SizeBytes + ((int)page.Value / 8)];
        bits = (byte)(isUsed ? bits | (1 << (int)(page.Value % 8)) : bits & ~(1 << (int)(page.Value % 8)));
    }

    internal bool IsUsed(PageNumber page) =>
        (Page(FormatConstants.FirstSpaceMapPage)[PageHeader.SizeBytes + ((int)page.Value / 8)] >> (int)(page.Value % 8) & 1) != 0;

    /// <summary>Makes the checksum of a page, or of the run that starts there, true again.</summary>
    internal void Seal(PageNumber page, int count = 1)
    {
        Span<byte> bytes = _file.AsSpan((int)page.ByteOffset(PageBytes), count * PageBytes);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, Checksum.Compute(bytes[sizeof(ulong)..]));
    }

    internal void Save() => File.WriteAllBytes(_path, _file);

    private Span<byte> RecordBytes(string name)
    {
        int index = CatalogIndex(name);
        int head = sizeof(ushort) + Slot(FormatConstants.CatalogRootPage, index).KeyLength;
        return Entry(FormatConstants.CatalogRootPage, index).Slice(head, TreeRecord.ShortBytes);
    }

    private PageNumber RootOf(string name) => Record(name).RootPage;
}

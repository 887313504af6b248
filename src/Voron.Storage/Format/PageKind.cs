namespace Voron.Storage.Format;

/// <summary>What a page holds; the byte at offset 24 of every page but the two header pages.</summary>
internal enum PageKind : byte
{
    None = 0,
    Leaf = 1,
    Branch = 2,
    Overflow = 3,
    SpaceMap = 4,
}

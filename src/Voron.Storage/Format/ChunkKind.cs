namespace Voron.Storage.Format;

/// <summary>Which of the two journals a chunk belongs to.</summary>
internal enum ChunkKind : uint
{
    None = 0,
    Commit = 1,
    Pages = 2,
}

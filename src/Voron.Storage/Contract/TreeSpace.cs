namespace Voron.Storage;

/// <summary>The pages of one tree, as one snapshot sees them.</summary>
/// <param name="NameBytes">Its name.</param>
/// <param name="Entries">Its entries.</param>
/// <param name="OverflowPages">Pages of long values, and of the lists of values in pieces.</param>
/// <param name="Levels">Its levels, from the root to the leaves.</param>
public sealed record TreeSpace(ReadOnlyMemory<byte> NameBytes, long Entries, long OverflowPages, IReadOnlyList<LevelReport> Levels)
{
    /// <summary>All of its pages.</summary>
    public long Pages => OverflowPages + Levels.Sum(static level => level.Pages);
}

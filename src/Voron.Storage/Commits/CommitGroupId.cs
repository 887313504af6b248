namespace Voron.Storage.Commits;

/// <summary>The number of the commit group that a sealed transaction is written with.</summary>
internal readonly record struct CommitGroupId(long Number)
{
    /// <summary>Whether nothing was sealed. Groups count from 1.</summary>
    internal bool IsNone => Number == 0;
}

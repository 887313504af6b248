namespace Voron.Storage.Versions;

/// <summary>
/// Filters of the keys in the top of a pending tree, which changes: one of those that were put since a round of merges began, and one of
/// those of the round before. What is older is merged. A snapshot keeps the filters that it began with.
/// </summary>
/// <param name="Now">Takes the keys.</param>
/// <param name="Before">Of the round before; null if there was none.</param>
internal sealed record PendingKeys(KeyFilter Now, KeyFilter? Before)
{
    /// <summary>Whether a key may be there.</summary>
    internal bool MayHave(ulong hash)
    {
        // Both are asked at once, as the processor waits for memory once.
        bool mayNow = Now.MayHave(hash);
        return (Before is not null && Before.MayHave(hash)) | mayNow;
    }
}

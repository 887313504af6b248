namespace Voron.Storage;

/// <summary>The longest keys, names and values that a database takes; they follow from its page size.</summary>
/// <param name="MaxKeyBytes">Longest key: a quarter of the page size.</param>
/// <param name="MaxNameBytes">Longest tree name in UTF-8 bytes.</param>
/// <param name="MaxValueBytes">Longest value in one call.</param>
public readonly record struct StorageLimits(int MaxKeyBytes, int MaxNameBytes, long MaxValueBytes);

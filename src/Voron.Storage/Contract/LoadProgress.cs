namespace Voron.Storage;

/// <summary>How far a load has come.</summary>
/// <param name="Lines">Lines that were read.</param>
/// <param name="Entries">Entries that were read.</param>
/// <param name="Committed">How many of them are committed: all at the end, and each batch with
/// <see cref="LoadOptions.EntriesPerTransaction"/>.</param>
public readonly record struct LoadProgress(long Lines, long Entries, long Committed);

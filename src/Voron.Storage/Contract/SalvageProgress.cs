namespace Voron.Storage;

/// <summary>How far a salvage has come.</summary>
/// <param name="Changes">Entries put into the new database, and changes of the commit journal applied to it.</param>
/// <param name="Bytes">Bytes of their keys and values.</param>
public readonly record struct SalvageProgress(long Changes, long Bytes);

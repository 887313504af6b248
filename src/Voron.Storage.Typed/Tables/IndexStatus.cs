namespace Voron.Storage.Typed.Tables;

/// <summary>
/// How far an index is, with a key: of one that is being built the <see cref="BuildPosition"/> up to which all entries are there (null:
/// none yet), of a failed one the index key that two rows have.
/// </summary>
internal readonly record struct IndexStatus(IndexState State, byte[]? Key = null)
{
    /// <summary>True when writers maintain the index.</summary>
    internal bool IsMaintained => State is IndexState.Ready or IndexState.Building;

    /// <summary>True when an entry that a row has must be there.</summary>
    internal bool Demands(ReadOnlySpan<byte> key, ReadOnlySpan<byte> primaryKey) =>
        State == IndexState.Ready || (State == IndexState.Building && !BuildPosition.IsBehind(key, primaryKey, Key));
}

namespace Voron.Storage.Typed.Tables;

/// <summary>
/// How far an index is, with a key: of one that is being built the last primary key that is in it (null: none yet), of a failed one the
/// index key that two rows have.
/// </summary>
internal readonly record struct IndexStatus(IndexState State, byte[]? Key = null)
{
    /// <summary>True when writers maintain the index for the row with this primary key.</summary>
    internal bool Covers(ReadOnlySpan<byte> primaryKey) => State switch
    {
        IndexState.Ready => true,
        IndexState.Building => Key is not null && primaryKey.SequenceCompareTo(Key) <= 0,
        _ => false,
    };
}

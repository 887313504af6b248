namespace Voron.Storage.Orleans;

/// <summary>A write or clearing of a state, by a caller that knows the state with a certain ETag, or knows none.</summary>
internal sealed class GrainChange(string treeName, byte[] key, string? eTag)
{
    private readonly Guid _newETag = Guid.NewGuid();

    internal string? ETag => eTag;

    internal string NewETag => GrainRecord.TextOf(_newETag);

    /// <summary>The new state; null when it is cleared.</summary>
    internal ReadOnlyMemory<byte>? State { get; init; }

    /// <summary>Nothing is left behind.</summary>
    internal bool Deletes { get; init; }

    /// <summary>Changes the state if the stored ETag is that of the caller, and returns the stored one.</summary>
    internal (bool IsApplied, string? Stored) Apply(WriteTransaction transaction)
    {
        Tree tree = transaction.OpenTree(treeName);
        string? stored = tree.TryGet(key, out ReadOnlySpan<byte> before) ? GrainRecord.Read(before).ETag : null;
        if (stored != (string.IsNullOrEmpty(eTag) ? null : eTag))
        {
            return (false, stored);
        }

        if (Deletes)
        {
            tree.Delete(key);
        }
        else
        {
            GrainRecord.Put(tree, key, _newETag, State);
        }

        return (true, stored);
    }
}

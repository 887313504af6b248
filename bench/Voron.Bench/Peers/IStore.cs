namespace Voron.Bench.Peers;

/// <summary>
/// A key/value store that the bench writes to and reads: ours, or a peer behind its C library. All keys and values that come in lie in
/// memory that does not move.
/// </summary>
internal interface IStore : IDisposable
{
    /// <summary>A writer for one thread.</summary>
    IStoreWriter OpenWriter();

    /// <summary>
    /// Gets every key that is asked for from one snapshot, where the store has snapshots; returns how many have their value.
    /// </summary>
    long Get(Questions questions);

    /// <summary>Walks over all entries.</summary>
    ScanResult Scan();

    /// <summary>Goes to each of the keys and reads ten entries from there on; returns how many of them began with their key.</summary>
    long Seek(Questions questions);

    /// <summary>Gets every key and compares its whole value; returns how many are right.</summary>
    long Match(Questions questions);

    /// <summary>All items in one transaction, in the way that the store likes best for items that come in order.</summary>
    void Load(DataSet data);

    /// <summary>Pages of the tree in bytes, where the store tells.</summary>
    long? AllocatedBytes { get; }
}

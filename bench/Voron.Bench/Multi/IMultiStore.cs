namespace Voron.Bench.Multi;

/// <summary>A store of sorted sets of values by key, with one write transaction at a time.</summary>
internal interface IMultiStore : IDisposable
{
    /// <summary>Bytes that the pairs take: pages of the tree, or of the file that has nothing else.</summary>
    long RoomBytes { get; }

    /// <summary>Whether the values of a key can be read in blocks.</summary>
    bool HasBlocks { get; }

    void Begin();

    /// <summary>Adds a pair, which is not there.</summary>
    void Add(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value);

    /// <summary>Durable when it returns.</summary>
    void Commit();

    /// <summary>Looks up the first pairs and returns how many are there.</summary>
    long CountContained(PairData data, int pairs);

    /// <summary>Reads the values of each key in blocks and returns their number.</summary>
    long ReadBlocks(PairData data);

    /// <summary>Reads the values of each key, one after the other, and returns their number.</summary>
    long ReadValues(PairData data);

    /// <summary>Reads all pairs in order and returns their number.</summary>
    long ReadPairs();
}

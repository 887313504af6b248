namespace Voron.Bench.Fixed;

/// <summary>A store of numbers by numbers. Loops over entries are the store's own, so that no call through this costs time.</summary>
internal interface IFixedStore : IDisposable
{
    /// <summary>Bytes of the tree's pages, or of the file that has nothing else.</summary>
    long RoomBytes { get; }

    void Begin();

    /// <summary>Adds all entries in ascending order to an empty tree, in the way that is fastest for this.</summary>
    void Append(FixedData data);

    /// <summary>Puts entries in random order, beginning at a place of it.</summary>
    void Put(FixedData data, int first, int count);

    /// <summary>Durable when it returns.</summary>
    void Commit();

    /// <summary>Gets the first entries in random order and returns how many have their value.</summary>
    long CountRight(FixedData data, int gets);

    /// <summary>Returns the sum of all values, read some times in the fastest way that the store has.</summary>
    long Sum(int times);

    /// <summary>Returns the sum of all values, read entry by entry.</summary>
    long SumSteps();
}

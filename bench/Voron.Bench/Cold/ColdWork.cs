namespace Voron.Bench.Cold;

/// <summary>What is done to a tree that memory does not hold.</summary>
internal enum ColdWork
{
    /// <summary>Gets of random items, one after another.</summary>
    Get,

    /// <summary>A walk over all items.</summary>
    Scan,

    /// <summary>Puts of new items under random keys, in durable transactions. Last: they leave entries to be merged.</summary>
    Put,
}

namespace Voron.Samples.Cluster;

/// <summary>What came of a write.</summary>
internal enum WriteAnswer
{
    /// <summary>It is done.</summary>
    Done,

    /// <summary>There is no such document.</summary>
    Missing,

    /// <summary>Its condition did not hold.</summary>
    Refused,
}

namespace Voron.Storage.Replication;

/// <summary>A write transaction began on a node that does not lead. Nothing was changed.</summary>
public sealed class NotLeaderException : Exception
{
    internal NotLeaderException(string? leader, string? address)
        : base(leader is null
            ? "This node does not lead, and knows of no node that does. Try again soon."
            : $"This node does not lead. Node '{leader}'{(address is { Length: > 0 } ? $" at {address}" : string.Empty)} led at last.")
    {
        Leader = leader;
        LeaderAddress = address;
    }

    /// <summary>The name of the node that led at last; null if none is known.</summary>
    public string? Leader { get; }

    /// <summary>Its <see cref="ReplicaOptions.Address"/>; null if none is known.</summary>
    public string? LeaderAddress { get; }
}

namespace Voron.Storage.Replication;

/// <summary>Names under which a node tells of itself, for <c>AddMeter</c>.</summary>
public static class VoronReplicaTelemetry
{
    /// <summary>The meter; <c>docs/replicas.md</c> lists its instruments.</summary>
    public const string MeterName = "Voron.Storage.Replication";

    /// <summary>The tag of all measurements: the key of the node.</summary>
    public const string ReplicaTag = "voron.replica.name";
}

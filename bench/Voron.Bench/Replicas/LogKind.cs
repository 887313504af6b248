namespace Voron.Bench.Replicas;

/// <summary>Which log.</summary>
internal enum LogKind
{
    Nats,
    Etcd,
}

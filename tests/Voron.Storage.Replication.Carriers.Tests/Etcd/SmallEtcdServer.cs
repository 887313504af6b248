using Voron.Storage.Replication.Carriers.Tests.Servers;

namespace Voron.Storage.Replication.Carriers.Tests.Etcd;

/// <summary>An etcd that is full after 4 MiB.</summary>
public sealed class SmallEtcdServer : EtcdServer
{
    private protected override string[] More => ["--quota-backend-bytes", "4194304"];
}

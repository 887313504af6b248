using Voron.Storage.Replication.Carriers.Tests.Contract;
using Voron.Storage.Replication.Carriers.Tests.Servers;
using Xunit;

namespace Voron.Storage.Replication.Carriers.Tests.Etcd;

/// <summary>The network between nodes and a real server is interrupted.</summary>
public sealed class EtcdPartitionTests(EtcdServer server) : CarrierPartitionTests(server), IClassFixture<EtcdServer>;

using Voron.Storage.Replication.Carriers.Tests.Contract;
using Voron.Storage.Replication.Carriers.Tests.Servers;
using Xunit;

namespace Voron.Storage.Replication.Carriers.Tests.Nats;

/// <summary>The network between nodes and a real server is interrupted.</summary>
public sealed class JetStreamPartitionTests(NatsServer server) : CarrierPartitionTests(server), IClassFixture<NatsServer>;

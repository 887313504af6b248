using Voron.Storage.Replication.Carriers.Tests.Contract;
using Voron.Storage.Replication.Carriers.Tests.Servers;
using Xunit;

namespace Voron.Storage.Replication.Carriers.Tests.Nats;

public sealed class JetStreamContractTests(NatsServer server) : CarrierContractTests(server), IClassFixture<NatsServer>;

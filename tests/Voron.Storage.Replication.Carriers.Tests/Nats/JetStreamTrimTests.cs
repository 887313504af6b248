using Voron.Storage.Replication.Carriers.Tests.Contract;
using Voron.Storage.Replication.Carriers.Tests.Servers;
using Xunit;

namespace Voron.Storage.Replication.Carriers.Tests.Nats;

public sealed class JetStreamTrimTests(NatsServer server) : CarrierTrimTests(server), IClassFixture<NatsServer>;

using Voron.Storage.Replication.Carriers.Tests.Contract;
using Voron.Storage.Replication.Carriers.Tests.Servers;
using Xunit;

namespace Voron.Storage.Replication.Carriers.Tests.Etcd;

public sealed class EtcdTrimTests(EtcdServer server) : CarrierTrimTests(server), IClassFixture<EtcdServer>;

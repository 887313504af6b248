using Voron.Storage.Replication.Carriers.Tests.Servers;
using Voron.Storage.Replication.Tests;
using Xunit;

namespace Voron.Storage.Replication.Carriers.Tests.Nats;

/// <summary>The contract that every log keeps, the simulated one too.</summary>
public sealed class JetStreamIsALogTests(NatsServer server) : LogContractTests, IClassFixture<NatsServer>
{
    private readonly string _name = server.NewName();

    protected override async ValueTask<IReplicatedLog> OpenAsync()
    {
        await server.NeedAsync();
        return await server.OpenAsync(_name);
    }
}

using NATS.Client.Core;
using NATS.Client.JetStream;
using Voron.Storage.Replication.Carriers.Tests.Contract;
using Voron.Storage.Replication.Carriers.Tests.Servers;
using Voron.Storage.Replication.Nats;

namespace Voron.Storage.Replication.Carriers.Tests.Nats;

/// <summary>What tests do with the stream of a bucket behind the back of <see cref="JetStreamSnapshots"/>.</summary>
internal static class Buckets
{
    /// <summary>The number of messages in the bucket.</summary>
    internal static async Task<long> LeftAsync(this JetStreamSnapshots snapshots, NatsServer server)
    {
        long messages = -1;
        await snapshots.ChangeAsync(server, async (context, stream) =>
            messages = (await context.GetStreamAsync(stream, cancellationToken: Logs.Soon())).Info.State.Messages);
        return messages;
    }

    internal static async Task ChangeAsync(
        this JetStreamSnapshots snapshots, NatsServer server, Func<NatsJSContext, string, Task> change)
    {
        await using NatsConnection connection = new(new NatsOpts { Url = server.Url });
        await change(new NatsJSContext(connection), snapshots.Stream);
    }
}

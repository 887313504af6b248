using NATS.Client.Core;
using NATS.Client.JetStream.Models;

namespace Voron.Storage.Replication.Nats;

/// <summary>What weakens a log without making it wrong.</summary>
internal static class JetStreamWarnings
{
    /// <summary>The first version with the repairs that were made after 2.10.22 lost streams when processes crashed.</summary>
    private static readonly Version Repaired = new(2, 12);

    /// <param name="server">The server of the connection.</param>
    /// <param name="settings">Those of the stream.</param>
    /// <param name="kind">What the stream is for its user: a stream, or a bucket.</param>
    internal static IReadOnlyList<string> Of(INatsServerInfo server, StreamConfig settings, string kind = "stream")
    {
        List<string> found = [];
        if (!Version.TryParse(server.Version.Split('-')[0], out Version? version) || version < Repaired)
        {
            found.Add($"The server has version {server.Version}. Versions before {Repaired} have lost messages that were acknowledged.");
        }

        if (settings.NumReplicas < 3)
        {
            found.Add($"The {kind} is on {settings.NumReplicas} server(s). It takes 3 to survive one of them.");
        }

        return found;
    }
}

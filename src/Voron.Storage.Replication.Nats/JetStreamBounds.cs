using NATS.Client.JetStream;
using NATS.Client.JetStream.Models;

namespace Voron.Storage.Replication.Nats;

/// <summary>The positions of a stream. An empty one may say that it begins at 0, or behind its end.</summary>
internal static class JetStreamBounds
{
    internal static LogBounds Of(INatsJSStream stream)
    {
        StreamState state = stream.Info.State;
        long last = checked((long)state.LastSeq);
        return new LogBounds(state.Messages == 0 ? last + 1 : checked((long)state.FirstSeq), last);
    }
}

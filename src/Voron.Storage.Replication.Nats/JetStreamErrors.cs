using System.Net.Sockets;
using NATS.Client.Core;

namespace Voron.Storage.Replication.Nats;

/// <summary>The error codes of the servers that mean something to a log, and which failures end by themselves.</summary>
internal static class JetStreamErrors
{
    internal const int StreamNameInUse = 10058;
    internal const int StreamNotFound = 10059;
    internal const int SubjectsOverlap = 10065;
    internal const int WrongLastSequence = 10071;
    internal const int ReplicasNotSupported = 10074;
    internal const int StoreFailed = 10077;

    /// <summary>The same as <see cref="WrongLastSequence"/>, from servers that do not say which number they have.</summary>
    internal const int WrongLastSequenceUnnamed = 10164;

    /// <summary>The servers did not answer, or not yet: asking again may help. Cancellations count; callers know whose they are.</summary>
    internal static bool IsOutage(Exception failure) => failure
        is NatsException or OperationCanceledException or TimeoutException or IOException or SocketException or ObjectDisposedException;
}

using System.Diagnostics;
using Voron.Storage.Replication;

namespace Voron.Samples.Cluster;

/// <summary>
/// Who leads, as far as this node knows: a leader that gives no sign of life is no address to send a client to.
/// </summary>
internal sealed class Leadership(IServiceProvider services, NodeSettings settings) : BackgroundService
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(100);

    private long _changedAt = Stopwatch.GetTimestamp();

    /// <summary>The node, which is there when the host starts.</summary>
    internal Replica Replica => services.GetRequiredService<Replica>();

    internal bool IsOwn => Replica.Role == ReplicaRole.Leader;

    /// <summary>The address of the node that leads; null if none is known to.</summary>
    internal string? Address => IsOwn ? settings.Url : IsSilent || Replica.Status.LeaderAddress == settings.Url
        ? null
        : Replica.Status.LeaderAddress;

    private bool IsSilent => Replica.Role == ReplicaRole.Stopped
        || Stopwatch.GetElapsedTime(Volatile.Read(ref _changedAt)) > NodeSettings.LeaderTimeout;

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        for (long last = 0; !stoppingToken.IsCancellationRequested;)
        {
            if (Replica.Status.Position is var position && position != last)
            {
                last = position;
                Volatile.Write(ref _changedAt, Stopwatch.GetTimestamp());
            }

            await Task.Delay(Pause, stoppingToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }
}

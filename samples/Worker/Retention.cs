using Microsoft.Extensions.Hosting;

namespace Voron.Samples.Worker;

/// <summary>Deletes events that are too old, from time to time.</summary>
internal sealed class Retention(EventLog log, LogSettings settings) : BackgroundService
{
    private long _deleted;

    internal long Deleted => Volatile.Read(ref _deleted);

    internal async Task SweepAsync(CancellationToken stopping) =>
        Interlocked.Add(ref _deleted, await log.ForgetAsync(settings.Keep, stopping));

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        using PeriodicTimer timer = new(settings.Sweep);
        try
        {
            while (await timer.WaitForNextTickAsync(stoppingToken))
            {
                await SweepAsync(stoppingToken);
            }
        }
        catch (OperationCanceledException) when (stoppingToken.IsCancellationRequested)
        {
            // Asked to end, by the host or by the producer, which then counts what is left.
        }
    }
}

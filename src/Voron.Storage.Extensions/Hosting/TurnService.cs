using Microsoft.Extensions.Hosting;

namespace Voron.Storage.Extensions.Hosting;

/// <summary>A hosted service that does the same when the host starts and at each turn of a clock, until the host stops.</summary>
/// <param name="interval">Time between two turns; null for a service that does nothing at all.</param>
/// <param name="time">The clock.</param>
internal abstract class TurnService(TimeSpan? interval, TimeProvider time) : BackgroundService
{
    /// <summary>One turn. What it throws ends the service, unless the host stops.</summary>
    protected abstract Task RunAsync(CancellationToken stopping);

    protected sealed override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        if (interval is null)
        {
            return;
        }

        using PeriodicTimer timer = new(interval.Value, time);
        try
        {
            do
            {
                await RunAsync(stoppingToken).ConfigureAwait(false);
            }
            while (await timer.WaitForNextTickAsync(stoppingToken).ConfigureAwait(false));
        }
        catch (OperationCanceledException) when (stoppingToken.IsCancellationRequested)
        {
        }
    }
}

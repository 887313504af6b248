using Microsoft.Extensions.Hosting;

namespace Voron.Samples.Worker;

/// <summary>Writes events, 16 callers at a time, and ends the program when there were enough.</summary>
internal sealed class Producer(EventLog log, Retention retention, LogSettings settings, IHostApplicationLifetime host) : BackgroundService
{
    private const int Callers = 16;

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        long before = log.Count;
        int written = 0;
        int most = settings.Events == 0 ? int.MaxValue : settings.Events;
        await Task.WhenAll(Enumerable.Range(0, Callers).Select(async caller =>
        {
            for (int number = Interlocked.Increment(ref written); number <= most; number = Interlocked.Increment(ref written))
            {
                await log.WriteAsync(new LogEvent($"caller {caller}", $"event {number}"), stoppingToken);
                await Task.Delay(1, stoppingToken);
            }
        }));

        // One sweep at the end, and none beside what is counted then.
        await retention.StopAsync(stoppingToken);
        await retention.SweepAsync(stoppingToken);
        Console.WriteLine($"{before} events found, {most} written, {retention.Deleted} deleted, {log.Count} kept.");
        host.StopApplication();
    }
}

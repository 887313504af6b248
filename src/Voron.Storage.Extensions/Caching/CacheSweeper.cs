using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;
using Voron.Storage.Extensions.Telemetry;

namespace Voron.Storage.Extensions.Caching;

/// <summary>Deletes what has expired, from time to time.</summary>
internal sealed class CacheSweeper(
    VoronCache cache, IOptions<VoronCacheOptions> options, ILoggerFactory? loggers = null, TimeProvider? time = null) : BackgroundService
{
    private readonly ILogger _log = loggers?.CreateLogger(StorageLog.Category) ?? NullLogger.Instance;

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        using PeriodicTimer timer = new(options.Value.SweepInterval, time ?? TimeProvider.System);
        while (await NextAsync(timer, stoppingToken).ConfigureAwait(false))
        {
            try
            {
                await cache.SweepAsync(stoppingToken).ConfigureAwait(false);
            }
            catch (StorageException error)
            {
                StorageLog.SweepFailed(_log, error, error.Message);
            }
            catch (OperationCanceledException) when (stoppingToken.IsCancellationRequested)
            {
                return;
            }
        }
    }

    private static async ValueTask<bool> NextAsync(PeriodicTimer timer, CancellationToken stopping)
    {
        try
        {
            return await timer.WaitForNextTickAsync(stopping).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }
}

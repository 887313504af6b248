using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;
using Voron.Storage.Extensions.Hosting;
using Voron.Storage.Extensions.Telemetry;

namespace Voron.Storage.Extensions.Caching;

/// <summary>Deletes what has expired, from time to time.</summary>
internal sealed class CacheSweeper(
    VoronCache cache, IOptions<VoronCacheOptions> options, ILoggerFactory? loggers = null, TimeProvider? time = null)
    : TurnService(options.Value.SweepInterval, time ?? TimeProvider.System)
{
    private readonly ILogger _log = loggers?.CreateLogger(StorageLog.Category) ?? NullLogger.Instance;

    protected override async Task RunAsync(CancellationToken stopping)
    {
        try
        {
            await cache.SweepAsync(stopping).ConfigureAwait(false);
        }
        catch (StorageException error)
        {
            StorageLog.SweepFailed(_log, error, error.Message);
        }
    }
}

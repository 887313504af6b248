using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;
using Voron.Storage.Extensions.Hosting;
using Voron.Storage.Extensions.Telemetry;
using Voron.Storage.Typed;

namespace Voron.Storage.Extensions.Expiry;

/// <summary>Deletes the expired rows of one table.</summary>
internal sealed class ExpirySweeper : TurnService
{
    private readonly ExpiryRegistration _table;
    private readonly HostedEnvironment _storage;
    private readonly StorageMeter _meter;
    private readonly VoronExpiryOptions _options;
    private readonly TimeProvider _time;
    private readonly ILogger _log;

    private ExpirySweeper(
        ExpiryRegistration table, EnvironmentSet environments, VoronExpiryOptions options, TimeProvider time, ILogger log)
        : base(table.Sweep is null ? null : options.SweepInterval, time)
    {
        _table = table;
        _storage = environments[table.Storage];
        _meter = environments.Meter;
        _options = options;
        _time = time;
        _log = log;
        if (table.Sweep is null)
        {
            StorageLog.NothingExpires(log, _storage.Label, table.Table);
        }
    }

    /// <summary>The service for a table.</summary>
    internal static ExpirySweeper Of(IServiceProvider provider, ExpiryRegistration table) => new(
        table,
        provider.GetRequiredService<EnvironmentSet>(),
        provider.GetRequiredService<IOptionsMonitor<VoronExpiryOptions>>().Get(table.Name),
        provider.GetService<TimeProvider>() ?? TimeProvider.System,
        provider.GetService<ILoggerFactory>()?.CreateLogger(StorageLog.Category) ?? NullLogger.Instance);

    /// <summary>
    /// Codecs and selectors are the user's, so a sweep may throw anything. Whatever it is, the next turn tries again: rows that are swept
    /// late do no harm, and a host that ends because of them would.
    /// </summary>
    protected override async Task RunAsync(CancellationToken stopping)
    {
        long began = _time.GetTimestamp();
        try
        {
            StorageEnvironment environment = await _storage.OpenAsync(stopping).ConfigureAwait(false);
            long deleted = await _table.Sweep!(environment, _time.GetUtcNow(), _options.RowsPerTransaction, stopping).ConfigureAwait(false);
            if (deleted > 0)
            {
                StorageLog.RowsExpired(_log, _storage.Label, _table.Table, deleted);
            }

            _meter.RowsExpired(_storage.Tag, _table.Table, deleted, _time.GetElapsedTime(began));
        }
        catch (Exception error) when (error is not OperationCanceledException || !stopping.IsCancellationRequested)
        {
            Tell(error);
            _meter.ExpiryFailed(_storage.Tag, _table.Table);
        }
    }

    private void Tell(Exception error)
    {
        if (error is StorageException or TableException)
        {
            StorageLog.ExpiryRefused(_log, _storage.Label, _table.Table, error.Message);
        }
        else
        {
            StorageLog.ExpiryFailed(_log, error, _storage.Label, _table.Table, error.Message);
        }
    }
}

using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Logging;
using Voron.Storage.Extensions.Telemetry;

namespace Voron.Storage.Extensions.Hosting;

/// <summary>
/// One environment of a host, from its settings over open to closed. It is opened once: when the host starts, or before, when something
/// asks for it.
/// </summary>
internal sealed class HostedEnvironment(string name, VoronStorageOptions options, string contentRoot, TimeProvider time, ILogger log)
    : IDisposable
{
    private readonly SemaphoreSlim _opening = new(1);

    /// <summary>Held while the environment is looked at, so that it is not closed meanwhile.</summary>
    private readonly Lock _looking = new();
    private StorageEnvironment? _environment;
    private bool _isClosed;

    /// <summary>The open that no activity tells of yet.</summary>
    private Opening? _untraced;

    internal string Name => name;

    internal string Label { get; } = EnvironmentRegistration.LabelOf(name);

    internal VoronStorageOptions Options => options;

    /// <summary>The whole path of the database's folder; null in memory.</summary>
    internal string? Folder { get; } = options.InMemory ? null : Path.GetFullPath(options.Path!, contentRoot);

    internal KeyValuePair<string, object?> Tag { get; } = new(
        VoronStorageTelemetry.StorageTag, EnvironmentRegistration.LabelOf(name));

    /// <summary>Why it could not be opened; null when it could, or was not tried.</summary>
    internal Exception? OpenFailure { get; private set; }

    /// <summary>Why commits may not be durable where it lies; null when no reason is known.</summary>
    internal string? Doubt { get; private set; }

    /// <summary>Set once, before the environment is opened.</summary>
    internal StorageObserver? Observer { get; set; }

    private string Place => Folder ?? "memory";

    /// <summary>The open environment. An open has a thread of its own, so a caller that waits for it blocks no other.</summary>
    internal StorageEnvironment Open() => OpenAsync(CancellationToken.None).AsTask().GetAwaiter().GetResult();

    internal async ValueTask<StorageEnvironment> OpenAsync(CancellationToken cancellation)
    {
        if (Volatile.Read(ref _environment) is { } open)
        {
            return open;
        }

        await _opening.WaitAsync(cancellation).ConfigureAwait(false);
        try
        {
            ObjectDisposedException.ThrowIf(_isClosed, typeof(StorageEnvironment));
            StorageEnvironment environment = _environment ?? await OpenOnceAsync(cancellation).ConfigureAwait(false);
            Volatile.Write(ref _environment, environment);
            return environment;
        }
        finally
        {
            _opening.Release();
        }
    }

    /// <summary>
    /// Makes the activity of the open, once. Environments open before the host's services start, a trace exporter among them, so this is
    /// called again when all have started.
    /// </summary>
    internal void TraceOpening()
    {
        if (_untraced is not { } opening || !VoronStorageTelemetry.Source.HasListeners())
        {
            return;
        }

        _untraced = null;
        using Activity? activity = VoronStorageTelemetry.Source.StartActivity(
            "voron.storage.open",
            ActivityKind.Internal,
            default(ActivityContext),
            [Tag, new("voron.storage.folder", Place)],
            null,
            opening.Begin);
        activity?.SetTag("voron.storage.recovery", opening.Recovery)
            .SetStatus(OpenFailure is null ? ActivityStatusCode.Unset : ActivityStatusCode.Error, OpenFailure?.Message)
            .SetEndTime(opening.End.UtcDateTime);
    }

    /// <summary>Sizes and counters; false when it is not open, or too damaged to tell.</summary>
    internal bool TryGetReport([NotNullWhen(true)] out EnvironmentReport? report)
    {
        try
        {
            report = GetReport();
        }
        catch (StorageException)
        {
            // A collector of figures cannot act on it; the health check reports it.
            report = null;
        }

        return report is not null;
    }

    /// <summary>Sizes and counters; null when it is not open.</summary>
    internal EnvironmentReport? GetReport()
    {
        lock (_looking)
        {
            return _isClosed ? null : _environment?.GetReport();
        }
    }

    /// <summary>Closes it for good. One that is busy stays open, and may be closed later.</summary>
    internal void Close()
    {
        lock (_looking)
        {
            if (_isClosed)
            {
                return;
            }

            _isClosed = true;
        }

        try
        {
            _environment?.Dispose();
            if (_environment is not null)
            {
                StorageLog.Closed(log, Label);
            }
        }
        catch (Exception error)
        {
            StorageLog.CloseFailed(log, error, Label, error.Message);
            _isClosed = error is not StorageBusyException;
            throw;
        }
    }

    public void Dispose()
    {
        Close();
        _opening.Dispose();
    }

    private async ValueTask<StorageEnvironment> OpenOnceAsync(CancellationToken cancellation)
    {
        _untraced = new Opening(DateTimeOffset.UtcNow);
        StorageOptions settings = StorageSettings.Of(options, time, Told, Observer);
        try
        {
            StorageEnvironment environment = Folder switch
            {
                null => StorageEnvironment.OpenInMemory(settings),
                _ when options.OpenWith is { } open => open(Folder, settings),
                _ => await StorageEnvironment.OpenAsync(Folder, settings, null, cancellation).ConfigureAwait(false),
            };
            OpenFailure = null;
            return environment;
        }
        catch (Exception error) when (error is not OperationCanceledException)
        {
            OpenFailure = error;
            StorageLog.OpenFailed(log, error, Label, Place, error.Message);
            throw;
        }
        finally
        {
            _untraced.End = DateTimeOffset.UtcNow;
            TraceOpening();
        }
    }

    private void Told(StorageEvent happened)
    {
        if (happened.Kind == StorageEventKind.Recovered && _untraced is { } opening)
        {
            opening.Recovery = happened.Message;
        }

        if (happened.Kind == StorageEventKind.DurabilityDoubtful)
        {
            Doubt = happened.Message;
        }

        StorageLog.Tell(log, Label, happened);
    }

    private sealed class Opening(DateTimeOffset begin)
    {
        internal DateTimeOffset Begin { get; } = begin;

        internal DateTimeOffset End { get; set; }

        internal string? Recovery { get; set; }
    }
}

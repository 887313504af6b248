using System.Diagnostics.Metrics;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;
using Voron.Storage.Extensions.Telemetry;

namespace Voron.Storage.Extensions.Hosting;

/// <summary>
/// All environments of a host, in the order in which they were asked for: opened in it, closed in the opposite one. A provider that no host
/// runs closes them when it is disposed.
/// </summary>
internal sealed class EnvironmentSet : IDisposable
{
    private readonly HostedEnvironment[] _environments;

    public EnvironmentSet(
        IEnumerable<EnvironmentRegistration> registrations,
        IOptionsMonitor<VoronStorageOptions> options,
        ILoggerFactory? loggers = null,
        IHostEnvironment? host = null,
        IMeterFactory? meters = null,
        TimeProvider? time = null)
    {
        ILogger log = loggers?.CreateLogger(StorageLog.Category) ?? NullLogger.Instance;
        string root = host?.ContentRootPath ?? Directory.GetCurrentDirectory();
        time ??= TimeProvider.System;
        _environments = [.. registrations.Select(one => new HostedEnvironment(one.Name, options.Get(one.Name), root, time, log))];
        RefuseSharedFolders();
        Meter = new StorageMeter(meters, _environments);
        foreach (HostedEnvironment environment in _environments)
        {
            environment.Observer = new MeteringObserver(Meter, environment.Tag, time);
        }
    }

    internal StorageMeter Meter { get; }

    internal HostedEnvironment this[string name] => _environments.FirstOrDefault(one => one.Name == name)
        ?? throw new InvalidOperationException(
            $"There is no storage '{EnvironmentRegistration.LabelOf(name)}'. Call AddVoronStorage or AddKeyedVoronStorage for it.");

    internal async Task OpenAsync(CancellationToken cancellation)
    {
        foreach (HostedEnvironment environment in _environments)
        {
            await environment.OpenAsync(cancellation).ConfigureAwait(false);
        }
    }

    /// <summary>Makes the activities of opens that nothing listened to when they happened.</summary>
    internal void TraceOpenings() => Array.ForEach(_environments, static environment => environment.TraceOpening());

    /// <summary>Closes all of them, also when one cannot be closed.</summary>
    internal void Close() => InReverse(static environment => environment.Close());

    public void Dispose()
    {
        try
        {
            InReverse(static environment => environment.Dispose());
        }
        finally
        {
            Meter.Dispose();
        }
    }

    private void InReverse(Action<HostedEnvironment> end)
    {
        List<Exception> errors = [];
        foreach (HostedEnvironment environment in _environments.Reverse())
        {
            try
            {
                end(environment);
            }
            catch (Exception error)
            {
                errors.Add(error);
            }
        }

        if (errors.Count > 0)
        {
            throw new AggregateException("Not every storage could be closed.", errors);
        }
    }

    /// <summary>Two environments on one folder: the second one would find it locked, and the message would not say by whom.</summary>
    private void RefuseSharedFolders()
    {
        var shared = _environments.Where(static one => one.Folder is not null)
            .GroupBy(static one => Path.TrimEndingDirectorySeparator(one.Folder!), StringComparer.Ordinal)
            .FirstOrDefault(static group => group.Count() > 1);
        if (shared is not null)
        {
            string names = string.Join(" and ", shared.Select(static one => $"'{one.Label}'"));
            throw new OptionsValidationException(
                shared.First().Name,
                typeof(VoronStorageOptions),
                [$"The storages {names} have the same Path '{shared.Key}'. Give each a folder of its own, or use one for both."]);
        }
    }
}

using System.Globalization;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Voron.Storage.Extensions.Hosting;

namespace Voron.Storage.Extensions.Health;

/// <summary>
/// Unhealthy: it is not open, or poisoned, or damaged. Degraded: it works, and will not for long: the disk fills, checkpoints fail or fall
/// behind, a reader is forgotten; or what lies below may lose what was committed.
/// </summary>
internal sealed class StorageHealthCheck(HostedEnvironment environment, Func<string, long>? freeBytes = null) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        HealthStatus failure = context.Registration.FailureStatus;
        try
        {
            return Task.FromResult(environment.GetReport() is { } report ? Judge(report, failure) : NotOpen(failure));
        }
        catch (StorageException error)
        {
            return Task.FromResult(new HealthCheckResult(failure, error.Message, error));
        }
    }

    private static long FreeBytesOf(string folder) => new DriveInfo(folder).AvailableFreeSpace;

    private HealthCheckResult NotOpen(HealthStatus failure) => new(
        failure,
        environment.OpenFailure is { } error
            ? $"Storage '{environment.Label}' could not be opened: {error.Message}"
            : $"Storage '{environment.Label}' is not open.",
        environment.OpenFailure);

    private HealthCheckResult Judge(EnvironmentReport report, HealthStatus failure)
    {
        Dictionary<string, object> figures = new()
        {
            ["commits"] = report.Commits,
            ["dataFileBytes"] = report.DataFileBytes,
            ["journalBytes"] = report.JournalBytes,
            ["checkpointLagBytes"] = report.CheckpointLagBytes,
            ["oldestReaderSeconds"] = report.OldestReaderAge.TotalSeconds,
        };
        List<string> complaints = [.. Complaints(report, figures)];
        if (report.PoisonedBy is { } error)
        {
            string text = $"Storage '{environment.Label}' commits nothing more until it is opened again: {error.Message}";
            return new HealthCheckResult(failure, text, error, figures);
        }

        return complaints.Count == 0
            ? HealthCheckResult.Healthy($"Storage '{environment.Label}' is open.", figures)
            : HealthCheckResult.Degraded(
                $"Storage '{environment.Label}': {string.Join(" ", complaints)}", report.CheckpointTrouble, figures);
    }

    private IEnumerable<string> Complaints(EnvironmentReport report, Dictionary<string, object> figures)
    {
        VoronStorageOptions options = environment.Options;
        if (environment.Folder is { } folder)
        {
            long free = (freeBytes ?? FreeBytesOf)(folder);
            figures["freeDiskBytes"] = free;
            if (free < options.Health.MinFreeDiskBytes)
            {
                yield return Text($"{free:N0} bytes are free for '{folder}', fewer than {options.Health.MinFreeDiskBytes:N0}. Make room.");
            }
        }

        if (environment.Doubt is { } doubt)
        {
            yield return doubt;
        }

        if (report.CheckpointTrouble is { } trouble)
        {
            yield return $"The last checkpoint failed and is tried again: {trouble.Message}";
        }

        long mostLag = options.Health.MaxCheckpointLagBytes ?? (report.JournalHardLimitBytes / 4 * 3);
        if (report.CheckpointLagBytes > mostLag)
        {
            yield return Text($"Checkpoints are {report.CheckpointLagBytes:N0} bytes behind, more than {mostLag:N0}.");
        }

        TimeSpan oldest = options.Health.MaxReaderAge ?? options.ReaderWarningAge;
        if (report.OldestReaderAge > oldest)
        {
            double age = report.OldestReaderAge.TotalSeconds;
            yield return Text($"A read transaction has been open for {age:N0} s, longer than {oldest.TotalSeconds:N0} s.");
        }
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}

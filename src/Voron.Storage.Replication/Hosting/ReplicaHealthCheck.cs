using System.Globalization;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Voron.Storage.Replication.Hosting;

/// <summary>Unhealthy: the node has stopped. Degraded: it serves reads that may be old, or no node can write.</summary>
internal sealed class ReplicaHealthCheck(Func<Replica?> find, string name, long mostLag) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(context);
        HealthStatus failure = context.Registration.FailureStatus;
        return Task.FromResult(find()?.Status is { } status
            ? Judge(status, failure)
            : new HealthCheckResult(failure, $"Replica '{name}' is not open."));
    }

    private HealthCheckResult Judge(ReplicaStatus status, HealthStatus failure)
    {
        Dictionary<string, object> figures = new()
        {
            ["role"] = status.Role.ToString(),
            ["leader"] = status.Leader ?? string.Empty,
            ["epoch"] = status.Epoch,
            ["transaction"] = status.TransactionId,
            ["position"] = status.Position,
            ["lag"] = status.Lag,
            ["voids"] = status.Voids,
        };
        if (status.Role == ReplicaRole.Stopped)
        {
            return new HealthCheckResult(
                failure, $"Replica '{name}' has stopped: {status.Failure?.Message ?? "it was disposed."}", status.Failure, figures);
        }

        string complaints = string.Join(' ', Complaints(status));
        return complaints.Length == 0
            ? HealthCheckResult.Healthy($"Replica '{name}' is a {(status.Role == ReplicaRole.Leader ? "leader" : "follower")}.", figures)
            : HealthCheckResult.Degraded($"Replica '{name}': {complaints}", status.LogTrouble, figures);
    }

    private IEnumerable<string> Complaints(ReplicaStatus status)
    {
        if (status.LogTrouble is { } trouble)
        {
            yield return $"The log does not answer: {trouble.Message}";
        }

        if (status.Lag > mostLag)
        {
            yield return string.Create(CultureInfo.InvariantCulture, $"It is {status.Lag:N0} entries behind, more than {mostLag:N0}.");
        }

        if (status.Leader is null)
        {
            yield return "No node has led yet.";
        }
    }
}

using Microsoft.Extensions.Hosting;

namespace Voron.Storage.Extensions.Hosting;

/// <summary>Opens the environments before any hosted service starts, and closes them after all have stopped.</summary>
internal sealed class EnvironmentLifecycle(EnvironmentSet environments) : IHostedLifecycleService
{
    public Task StartingAsync(CancellationToken cancellationToken) => environments.OpenAsync(cancellationToken);

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken)
    {
        environments.TraceOpenings();
        return Task.CompletedTask;
    }

    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppedAsync(CancellationToken cancellationToken)
    {
        environments.Close();
        return Task.CompletedTask;
    }
}

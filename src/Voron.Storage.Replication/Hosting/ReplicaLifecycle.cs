using Microsoft.Extensions.Hosting;

namespace Voron.Storage.Replication.Hosting;

/// <summary>Opens the nodes before any hosted service starts, and closes them after all have stopped.</summary>
internal sealed class ReplicaLifecycle(ReplicaSet replicas) : IHostedLifecycleService
{
    public Task StartingAsync(CancellationToken cancellationToken) => replicas.OpenAsync(cancellationToken);

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppedAsync(CancellationToken cancellationToken) => replicas.DisposeAsync().AsTask();
}

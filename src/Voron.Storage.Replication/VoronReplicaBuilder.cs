using Microsoft.Extensions.DependencyInjection;

namespace Voron.Storage.Replication;

/// <summary>A node that is being added to services; carriers add their log to it.</summary>
public sealed class VoronReplicaBuilder
{
    internal VoronReplicaBuilder(IServiceCollection services, string name, string folder, Action<ReplicaOptions>? configure)
    {
        Services = services;
        Name = name;
        Folder = folder;
        Configure = configure;
    }

    /// <summary>The services.</summary>
    public IServiceCollection Services { get; }

    /// <summary>The key of the node.</summary>
    public string Name { get; }

    internal string Folder { get; }

    internal Action<ReplicaOptions>? Configure { get; }

    internal Func<IServiceProvider, CancellationToken, ValueTask<IReplicatedLog>>? Log { get; private set; }

    internal Func<IServiceProvider, CancellationToken, ValueTask<IReplicaSnapshots>>? Snapshots { get; private set; }

    /// <summary>Sets how the node's log is opened; the node disposes it.</summary>
    /// <param name="open">Opens it, once, when the host starts.</param>
    public VoronReplicaBuilder UseLog(Func<IServiceProvider, CancellationToken, ValueTask<IReplicatedLog>> open)
    {
        ArgumentNullException.ThrowIfNull(open);
        Log = open;
        return this;
    }

    /// <summary>
    /// Sets where the node's snapshots are, in place of <see cref="ReplicaOptions.Snapshots"/>. What is <see cref="IAsyncDisposable"/> is
    /// disposed after the node.
    /// </summary>
    /// <param name="open">Opens the place, once, when the host starts.</param>
    public VoronReplicaBuilder UseSnapshots(Func<IServiceProvider, CancellationToken, ValueTask<IReplicaSnapshots>> open)
    {
        ArgumentNullException.ThrowIfNull(open);
        Snapshots = open;
        return this;
    }
}

using System.Diagnostics;
using Voron.Samples.Cluster;
using Voron.Storage.Replication;
using Voron.Storage.Replication.Etcd;
using Voron.Storage.Replication.Nats;

namespace Voron.Bench.Replicas;

/// <summary>The servers of a log on this machine, in a folder of their own.</summary>
internal sealed class LogServers : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    private readonly Process[] _processes;

    private LogServers(LogKind kind, Running[] plan)
    {
        Kind = kind;
        Url = string.Join(',', plan.Select(static one => one.Url));
        _processes = [.. plan.Select(static one => Processes.Start(one.Start))];
    }

    internal LogKind Kind { get; }

    /// <summary>The addresses of all servers, separated by commas.</summary>
    internal string Url { get; }

    /// <exception cref="FileNotFoundException">The log's program is not installed.</exception>
    internal static async Task<LogServers> StartAsync(LogKind kind, int count, string folder)
    {
        Directory.CreateDirectory(folder);
        Running[] plan = LogPlan.Servers(kind == LogKind.Nats ? LogPlan.Nats : LogPlan.Etcd, folder, Ports.Free(2 * count));
        LogServers servers = new(kind, plan);
        using CancellationTokenSource limit = new(Patience);
        foreach (Running one in plan)
        {
            while (!await Ports.IsOpenAsync(new Uri(one.Url), limit.Token))
            {
                await Task.Delay(50, limit.Token);
            }
        }

        return servers;
    }

    internal Task<IReplicatedLog> OpenAsync(string name) => OpenAsync(Kind, Url, name);

    /// <summary>Opens a log; waits for a server that has just been started.</summary>
    internal static async Task<IReplicatedLog> OpenAsync(LogKind kind, string url, string name)
    {
        using CancellationTokenSource limit = new(Patience);
        while (true)
        {
            try
            {
                return kind == LogKind.Nats
                    ? await JetStreamLog.OpenAsync(Settings(url, name), limit.Token)
                    : await EtcdLog.OpenAsync(new EtcdLogOptions { Endpoints = url, Name = name }, limit.Token);
            }
            catch (LogUnavailableException) when (!limit.IsCancellationRequested)
            {
                await Task.Delay(50, CancellationToken.None);
            }
        }
    }

    public void Dispose()
    {
        foreach (Process process in _processes)
        {
            process.Kill();
            process.WaitForExit();
            process.Dispose();
        }
    }

    /// <summary>Every server of the log holds the stream.</summary>
    private static JetStreamLogOptions Settings(string url, string name) =>
        new() { Url = url, Stream = name, Replicas = url.Count(static one => one == ',') + 1 };
}

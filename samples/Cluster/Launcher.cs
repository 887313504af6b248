using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Text.Json;

namespace Voron.Samples.Cluster;

/// <summary>Starts all processes of a cluster, says when it is ready, and ends them all.</summary>
internal sealed class Launcher : IDisposable
{
    private const string Usage = "run.sh --log nats|etcd --folder DIR";
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(3);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(200);

    private readonly string _file;
    private readonly ClusterFile _plan;
    private readonly Dictionary<string, Process> _started = [];
    private readonly HttpClient _client = new() { Timeout = TimeSpan.FromSeconds(5) };

    /// <summary>A cluster that was in the folder before is started again as it was, on its ports and folders.</summary>
    private Launcher(string log, string folder)
    {
        Directory.CreateDirectory(folder);
        _file = Path.Combine(folder, "cluster.json");
        File.Delete(_file);
        string plan = Path.Combine(folder, log + ".plan");
        if (!File.Exists(plan))
        {
            if (Directory.EnumerateFiles(folder, "*.plan").Any())
            {
                throw new IOException($"The cluster in {folder} has another log.");
            }

            Plan.Make(log, folder, _file).Write(plan);
        }

        _plan = ClusterFile.Read(plan);
    }

    internal static async Task<int> RunAsync(string[] args)
    {
        if (args is not ["--log", LogPlan.Nats or LogPlan.Etcd, "--folder", _])
        {
            Console.Error.WriteLine(Usage);
            return 2;
        }

        using CancellationTokenSource end = new();
        using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, End);
        using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, End);
        try
        {
            using Launcher launcher = new(args[1], Path.GetFullPath(args[3]));
            try
            {
                await launcher.StartAsync(end.Token);
                await Task.Delay(Timeout.InfiniteTimeSpan, end.Token);
            }
            catch (OperationCanceledException) when (end.IsCancellationRequested)
            {
                // Ctrl+C or a SIGTERM.
            }
            finally
            {
                launcher.EndAll();
            }

            return 0;
        }
        catch (Exception error) when (error is IOException or TimeoutException)
        {
            Console.Error.WriteLine(error.Message);
            return 1;
        }

        void End(PosixSignalContext context)
        {
            context.Cancel = true;
            end.Cancel();
        }
    }

    public void Dispose()
    {
        _client.Dispose();
        foreach (Process process in _started.Values)
        {
            process.Dispose();
        }
    }

    private async Task StartAsync(CancellationToken end)
    {
        using CancellationTokenSource limit = CancellationTokenSource.CreateLinkedTokenSource(end);
        limit.CancelAfter(Patience);
        try
        {
            foreach (Running server in _plan.Log)
            {
                Start(server);
            }

            foreach (Running server in _plan.Log)
            {
                await UntilAsync(() => Ports.IsOpenAsync(new Uri(server.Url), limit.Token), limit.Token);
            }

            foreach (Running node in _plan.Nodes)
            {
                Start(node);
            }

            await UntilAsync(() => IsReadyAsync(limit.Token), limit.Token);
        }
        catch (OperationCanceledException) when (!end.IsCancellationRequested)
        {
            throw new TimeoutException("The cluster is not ready in time. Its servers' files *.txt may say why.");
        }

        new ClusterFile([.. _plan.Nodes.Select(Numbered)], [.. _plan.Log.Select(Numbered)]).Write(_file);
        foreach (Running node in _plan.Nodes)
        {
            Console.WriteLine($"{node.Name}: {node.Url}");
        }

        Console.WriteLine($"Ready. {_file} has the processes. Ctrl+C ends them.");
    }

    /// <summary>All know the one that leads.</summary>
    private async Task<bool> IsReadyAsync(CancellationToken stop)
    {
        HashSet<string?> leaders = [];
        foreach (Running node in _plan.Nodes)
        {
            try
            {
                using JsonDocument status = JsonDocument.Parse(await _client.GetStringAsync(node.Url + "/cluster", stop));
                leaders.Add(status.RootElement.GetProperty("leader").GetString());
            }
            catch (Exception error) when (error is HttpRequestException or JsonException || !stop.IsCancellationRequested)
            {
                return false;
            }
        }

        return leaders.Count == 1 && !leaders.Contains(null);
    }

    /// <summary>Waits; a process that has ended meanwhile, as a node that came too early for its log, is started again.</summary>
    private async Task UntilAsync(Func<Task<bool>> condition, CancellationToken stop)
    {
        while (!await condition())
        {
            await Task.Delay(Pause, stop);
            foreach (Running one in _plan.All)
            {
                if (_started.TryGetValue(one.Name, out Process? process) && process.HasExited)
                {
                    process.Dispose();
                    await Task.Delay(Pause, stop);
                    Start(one);
                }
            }
        }
    }

    private void Start(Running one) => _started[one.Name] = Processes.Start(one.Start);

    private Running Numbered(Running one) => one with { Pid = _started[one.Name].Id };

    /// <summary>Ends the nodes, then the log; those too that others have started again.</summary>
    private void EndAll()
    {
        foreach (Running one in _plan.All)
        {
            for (int pid = Processes.Find(one.Start); pid != 0; pid = Processes.Find(one.Start))
            {
                Processes.Kill(pid);
            }
        }

        File.Delete(_file);
    }
}

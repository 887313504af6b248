using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Text;
using System.Text.Json;
using FluentAssertions;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Samples.Tests.Clusters;

/// <summary>The sample's script as anybody starts it, and the processes that it tells of.</summary>
internal sealed class RunningCluster : IDisposable
{
    /// <summary>How long a test waits for anything before it fails.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(3);

    private readonly TemporaryFolder _folder = new();
    private readonly StringBuilder _said = new();
    private readonly List<Process> _started = [];

    /// <summary>Numbers of processes that were started again, by name.</summary>
    private readonly Dictionary<string, int> _again = [];
    private readonly Process _script;
    private readonly HttpClient _client = new(new HttpClientHandler { AllowAutoRedirect = false }) { Timeout = TimeSpan.FromSeconds(30) };

    private RunningCluster(string log)
    {
        ProcessStartInfo start = new(Sample.Cluster, ["--log", log, "--folder", Path.Combine(_folder.Path, "cluster")])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment["VORON_CONFIGURATION"] = Sample.Configuration;
        _script = new Process { StartInfo = start };
        _script.OutputDataReceived += Hear;
        _script.ErrorDataReceived += Hear;
        _script.Start();
        _script.BeginOutputReadLine();
        _script.BeginErrorReadLine();
    }

    internal OneProcess[] Nodes { get; private set; } = [];

    internal OneProcess[] Log { get; private set; } = [];

    internal static async Task<RunningCluster> StartAsync(string log)
    {
        string program = log == "nats" ? "/usr/sbin/nats-server" : "/usr/bin/etcd";
        bool isRequired = Environment.GetEnvironmentVariable("VORON_LOG_SERVERS") == "required";
        Assert.SkipUnless(isRequired || File.Exists(program), $"{program} is not installed.");
        RunningCluster cluster = new(log);
        try
        {
            string file = Path.Combine(cluster._folder.Path, "cluster", "cluster.json");
            await cluster.UntilAsync(() => Task.FromResult(File.Exists(file)));
            using JsonDocument read = JsonDocument.Parse(await File.ReadAllBytesAsync(file));
            cluster.Nodes = Processes(read.RootElement.GetProperty("nodes"));
            cluster.Log = Processes(read.RootElement.GetProperty("log"));
            return cluster;
        }
        catch
        {
            cluster.Dispose();
            throw;
        }
    }

    /// <summary>Waits for something; a request that fails is asked again.</summary>
    internal async Task UntilAsync(Func<Task<bool>> holds)
    {
        for (long began = Stopwatch.GetTimestamp(); !await TryAsync(holds);)
        {
            _script.HasExited.Should().BeFalse("the cluster goes on; it said: {0}", Said);
            Stopwatch.GetElapsedTime(began).Should().BeLessThan(Patience, "something was waited for in vain; the cluster said: {0}", Said);
            await Task.Delay(100);
        }
    }

    internal Task<HttpResponseMessage> AskAsync(
        OneProcess node, HttpMethod method, string path, string? body = null, params (string Name, string Value)[] headers)
    {
        HttpRequestMessage request = new(method, node.Url + path) { Content = body is null ? null : new StringContent(body) };
        foreach ((string name, string value) in headers)
        {
            request.Headers.TryAddWithoutValidation(name, value).Should().BeTrue();
        }

        return _client.SendAsync(request);
    }

    internal async Task<JsonElement> StatusAsync(OneProcess node)
    {
        using JsonDocument status = JsonDocument.Parse(await _client.GetStringAsync(node.Url + "/cluster"));
        return status.RootElement.Clone();
    }

    /// <summary>The node that leads, as all nodes that are asked say.</summary>
    internal async Task<OneProcess> LeaderAsync(params OneProcess[] asked)
    {
        OneProcess? leader = null;
        await UntilAsync(async () =>
        {
            JsonElement[] all = await Task.WhenAll(asked.Select(StatusAsync));
            string?[] addresses = [.. all.Select(static one => one.GetProperty("leader").GetString()).Distinct()];
            leader = asked.FirstOrDefault(node => addresses is [var address] && address == node.Url);
            return leader is not null;
        });
        return leader!;
    }

    /// <summary>Puts a document on any of these nodes until one has acknowledged it, as a client does; gives the version.</summary>
    internal async Task<string> PutAsync(string path, string body, params OneProcess[] asked)
    {
        string? version = null;
        int next = 0;
        await UntilAsync(async () =>
        {
            using HttpResponseMessage answer = await AskAsync(asked[next++ % asked.Length], HttpMethod.Put, path, body);
            if (answer.StatusCode == HttpStatusCode.NoContent)
            {
                version = answer.Headers.ETag!.ToString();
            }

            return version is not null;
        });
        return version!;
    }

    internal static void Kill(int pid)
    {
        using Process process = Process.GetProcessById(pid);
        process.Kill();
        process.WaitForExit();
    }

    /// <summary>Kills a process, also one that was started again.</summary>
    internal void Kill(OneProcess one) => Kill(PidOf(one));

    internal void Signal(OneProcess one, string name)
    {
        using Process kill = Process.Start("kill", ["-" + name, PidOf(one).ToString(CultureInfo.InvariantCulture)]);
        kill.WaitForExit();
    }

    internal void Start(OneProcess one)
    {
        Process started = Process.Start(new ProcessStartInfo(one.Start[0], one.Start[1..]) { WorkingDirectory = "/" })!;
        _started.Add(started);
        _again[one.Name] = started.Id;
    }

    /// <summary>Asks the script to end, and finds that all processes have.</summary>
    internal async Task EndAsync()
    {
        using Process kill = Process.Start("kill", ["-TERM", _script.Id.ToString(CultureInfo.InvariantCulture)]);
        await kill.WaitForExitAsync();
        using CancellationTokenSource limit = new(Patience);
        await _script.WaitForExitAsync(limit.Token);
        foreach (OneProcess one in (OneProcess[])[.. Nodes, .. Log])
        {
            Func<Task> ask = () => _client.GetAsync(one.Url.Replace("nats:", "http:", StringComparison.Ordinal), limit.Token);
            await ask.Should().ThrowAsync<HttpRequestException>("{0} has ended", one.Name);
        }
    }

    public void Dispose()
    {
        if (!_script.HasExited)
        {
            using Process kill = Process.Start("kill", ["-TERM", _script.Id.ToString(CultureInfo.InvariantCulture)]);
            kill.WaitForExit();
            _script.WaitForExit(TimeSpan.FromMinutes(1));
        }

        _script.Dispose();
        _client.Dispose();
        _started.ForEach(static one => one.Dispose());
        _folder.Dispose();
    }

    private int PidOf(OneProcess one) => _again.GetValueOrDefault(one.Name, one.Pid);

    private string Said
    {
        get
        {
            lock (_said)
            {
                return _said.ToString();
            }
        }
    }

    private static async Task<bool> TryAsync(Func<Task<bool>> holds)
    {
        try
        {
            return await holds();
        }
        catch (Exception error) when (error is HttpRequestException or OperationCanceledException or JsonException)
        {
            return false;
        }
    }

    private void Hear(object sender, DataReceivedEventArgs line)
    {
        lock (_said)
        {
            _said.AppendLine(line.Data);
        }
    }

    private static OneProcess[] Processes(JsonElement all) => [.. all.EnumerateArray().Select(static one => new OneProcess(
        one.GetProperty("name").GetString()!,
        one.GetProperty("url").GetString()!,
        one.GetProperty("pid").GetInt32(),
        [.. one.GetProperty("start").EnumerateArray().Select(static word => word.GetString()!)]))];
}

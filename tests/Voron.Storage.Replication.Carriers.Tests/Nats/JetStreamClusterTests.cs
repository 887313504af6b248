using System.Globalization;
using FluentAssertions;
using NATS.Client.Core;
using NATS.Client.JetStream;
using Voron.Storage.Replication.Carriers.Tests.Contract;
using Voron.Storage.Replication.Carriers.Tests.Servers;
using Voron.Storage.Replication.Nats;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Storage.Replication.Carriers.Tests.Nats;

/// <summary>Three servers that hold a stream of three replicas: one of them may be killed.</summary>
public sealed class JetStreamClusterTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly int[] _ports = [FreePorts.Next(), FreePorts.Next(), FreePorts.Next()];
    private readonly int[] _routes = [FreePorts.Next(), FreePorts.Next(), FreePorts.Next()];
    private readonly List<ServerProcess> _servers = [];

    [Fact]
    public async Task What_was_acknowledged_survives_each_server_and_the_log_goes_on_without_it()
    {
        await StartAsync();
        await using IReplicatedLog log = await OpenAsync();
        ((JetStreamLog)log).Warnings.Should().NotContainMatch("*server(s)*");
        using CancellationTokenSource end = new(Logs.Patience * 2);
        Dictionary<long, int> acknowledged = [];
        List<int> read = [];
        const int Last = 1000;
        Task reader = Task.Run(() => Logs.ReadThroughAsync(
            log,
            1,
            entry =>
            {
                read.Add(BitConverter.ToInt32(entry.Bytes.Span));
                return read[^1] != Last;
            },
            end.Token));
        int number = 0;
        foreach (int killed in (int[])[await LeaderAsync(), (await LeaderAsync() + 1) % 3])
        {
            await AppendAsync(20);
            _servers[killed].Kill();
            await AppendAsync(20);
            await _servers[killed].StartAsync();
            await AppendAsync(20);
            await WaitUntilCurrentAsync();
        }

        acknowledged[await Logs.InsistAsync(log, Logs.Entry(Last), end.Token)] = Last;
        await reader;
        foreach ((long position, int expected) in acknowledged)
        {
            read[(int)position - 1].Should().Be(expected, "the entry at {0} was acknowledged", position);
        }

        async Task AppendAsync(int count)
        {
            for (int i = 0; i < count; i++)
            {
                number++;
                acknowledged[await Logs.InsistAsync(log, Logs.Entry(number), end.Token)] = number;
            }
        }
    }

    [Fact]
    public async Task Without_a_majority_nothing_is_acknowledged()
    {
        await StartAsync();
        await using IReplicatedLog log = await OpenAsync();
        await Logs.AppendAsync(log, Logs.Entry(1), Logs.Entry(2));
        await WaitUntilCurrentAsync();
        int leader = await LeaderAsync();
        _servers[(leader + 1) % 3].Kill();
        _servers[(leader + 2) % 3].Kill();
        Func<Task> append = async () => await log.AppendAsync(Logs.Entry(3), 2, Logs.Soon());
        await append.Should().ThrowAsync<LogUnavailableException>();
        await _servers[(leader + 1) % 3].StartAsync();
        long position = await Logs.InsistAsync(log, Logs.Entry(4), Logs.Soon());
        List<byte[]> entries = [];
        await Logs.ReadThroughAsync(
            log,
            1,
            entry =>
            {
                entries.Add(entry.Bytes.ToArray());
                return entry.Position < position;
            },
            Logs.Soon());
        entries[0].Should().Equal(Logs.Entry(1));
        entries[1].Should().Equal(Logs.Entry(2));
        entries[^1].Should().Equal(Logs.Entry(4));
    }

    private string Urls => string.Join(',', _ports.Select(static port => Address(port)));

    public void Dispose()
    {
        _servers.ForEach(static server => server.Dispose());
        _folder.Dispose();
    }

    private async Task StartAsync()
    {
        string program = NatsServer.Program;
        string routes = string.Join(',', _routes.Select(static port => Address(port)));
        for (int i = 0; i < 3; i++)
        {
            _servers.Add(new ServerProcess(
                program,
                _ports[i],
                "-a", "127.0.0.1", "-p", _ports[i].ToString(CultureInfo.InvariantCulture), "-n", "n" + i, "-js",
                "-sd", Path.Combine(_folder.Path, "n" + i),
                "--cluster_name", "three", "--cluster", Address(_routes[i]), "--routes", routes));
        }

        await Task.WhenAll(_servers.Select(static server => server.StartAsync()));
    }

    /// <summary>The cluster elects its leader first.</summary>
    private async Task<IReplicatedLog> OpenAsync()
    {
        CancellationToken end = Logs.Soon();
        JetStreamLogOptions options = new()
        {
            Url = Urls,
            Stream = "log",
            RequestTimeout = TimeSpan.FromSeconds(3),
        };
        while (true)
        {
            try
            {
                return await JetStreamLog.OpenAsync(options, end);
            }
            catch (LogUnavailableException)
            {
                await Task.Delay(100, end);
            }
        }
    }

    private async Task<int> LeaderAsync()
    {
        INatsJSStream stream = await StreamAsync();
        return int.Parse(stream.Info.Cluster!.Leader![1..], CultureInfo.InvariantCulture);
    }

    /// <summary>Until the two other servers have what the leader has.</summary>
    private async Task WaitUntilCurrentAsync()
    {
        CancellationToken end = Logs.Soon();
        while (true)
        {
            INatsJSStream stream = await StreamAsync();
            if (stream.Info.Cluster?.Replicas?.Count(static one => one.Current && !one.Offline) == 2)
            {
                return;
            }

            await Task.Delay(100, end);
        }
    }

    private async Task<INatsJSStream> StreamAsync()
    {
        CancellationToken end = Logs.Soon();
        while (true)
        {
            try
            {
                await using NatsConnection connection = new(new NatsOpts { Url = Urls });
                INatsJSStream stream = await new NatsJSContext(connection).GetStreamAsync("log", cancellationToken: end);
                if (stream.Info.Cluster?.Leader is { Length: > 0 })
                {
                    return stream;
                }
            }
            catch (NatsException)
            {
                // It is electing.
            }

            await Task.Delay(100, end);
        }
    }

    private static string Address(int port) => string.Create(CultureInfo.InvariantCulture, $"nats://127.0.0.1:{port}");
}

using System.Globalization;
using FluentAssertions;
using Voron.Storage.Replication.Carriers.Tests.Contract;
using Voron.Storage.Replication.Carriers.Tests.Servers;
using Voron.Storage.Replication.Etcd;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Storage.Replication.Carriers.Tests.Etcd;

/// <summary>Three servers of etcd: one of them may be killed, whichever leads.</summary>
public sealed class EtcdClusterTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly int[] _ports = [FreePorts.Next(), FreePorts.Next(), FreePorts.Next()];
    private readonly int[] _peers = [FreePorts.Next(), FreePorts.Next(), FreePorts.Next()];
    private readonly List<ServerProcess> _servers = [];

    [Fact]
    public async Task What_was_acknowledged_survives_each_server_and_the_log_goes_on_without_it()
    {
        await StartAsync();
        await using EtcdLog log = await OpenAsync();
        log.Warnings.Should().BeEmpty();
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
        foreach (ServerProcess killed in _servers)
        {
            await AppendAsync(10);
            killed.Kill();
            await AppendAsync(10);
            await killed.StartAsync();
            await AppendAsync(10);
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
    public async Task Without_a_majority_nothing_is_acknowledged_or_shown()
    {
        await StartAsync();
        await using EtcdLog log = await OpenAsync();
        await Logs.AppendAsync(log, Logs.Entry(1), Logs.Entry(2));
        _servers[0].Kill();
        _servers[1].Kill();
        Func<Task> append = async () => await log.AppendAsync(Logs.Entry(3), 2, Logs.Soon());
        await append.Should().ThrowAsync<LogUnavailableException>();
        Func<Task> bounds = async () => await log.GetBoundsAsync(Logs.Soon());
        await bounds.Should().ThrowAsync<LogUnavailableException>();
        await _servers[0].StartAsync();
        await Logs.InsistAsync(log, Logs.Entry(4), Logs.Soon());
        List<byte[]> entries = [];
        await Logs.ReadThroughAsync(
            log,
            1,
            entry =>
            {
                entries.Add(entry.Bytes.ToArray());
                return !entries[^1].AsSpan().SequenceEqual(Logs.Entry(4));
            },
            Logs.Soon());
        entries[0].Should().Equal(Logs.Entry(1));
        entries[1].Should().Equal(Logs.Entry(2));
    }

    public void Dispose()
    {
        _servers.ForEach(static server => server.Dispose());
        _folder.Dispose();
    }

    private async Task StartAsync()
    {
        string program = Installed.Need("etcd", "etcd-server");
        string members = string.Join(',', _peers.Select(static (port, i) => $"n{i}={Address(port)}"));
        for (int i = 0; i < 3; i++)
        {
            string url = Address(_ports[i]);
            string peer = Address(_peers[i]);
            _servers.Add(new ServerProcess(
                program,
                _ports[i],
                "--name", "n" + i, "--data-dir", Path.Combine(_folder.Path, "n" + i), "--logger", "zap", "--log-level", "warn",
                "--listen-client-urls", url, "--advertise-client-urls", url, "--listen-peer-urls", peer,
                "--initial-advertise-peer-urls", peer, "--initial-cluster", members));
        }

        await Task.WhenAll(_servers.Select(static server => server.StartAsync()));
    }

    private async Task<EtcdLog> OpenAsync()
    {
        CancellationToken end = Logs.Soon();
        EtcdLogOptions options = new()
        {
            Endpoints = string.Join(',', _ports.Select(Address)),
            Name = "log",
            RequestTimeout = TimeSpan.FromSeconds(3),
        };
        while (true)
        {
            try
            {
                return await EtcdLog.OpenAsync(options, end);
            }
            catch (LogUnavailableException)
            {
                await Task.Delay(100, end);
            }
        }
    }

    private static string Address(int port) => string.Create(CultureInfo.InvariantCulture, $"http://127.0.0.1:{port}");
}

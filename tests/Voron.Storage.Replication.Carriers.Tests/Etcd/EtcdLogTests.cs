using Etcdserverpb;
using FluentAssertions;
using Grpc.Net.Client;
using Voron.Storage.Replication.Carriers.Tests.Contract;
using Voron.Storage.Replication.Carriers.Tests.Servers;
using Voron.Storage.Replication.Etcd;
using Xunit;

namespace Voron.Storage.Replication.Carriers.Tests.Etcd;

/// <summary>What only etcd does: compactions, limits of requests, a quota.</summary>
public sealed class EtcdLogTests(EtcdServer server, SmallEtcdServer small) : IClassFixture<EtcdServer>, IClassFixture<SmallEtcdServer>
{
    [Fact]
    public async Task Compactions_hide_no_entry_from_a_reader()
    {
        await server.NeedAsync();
        await using EtcdLog log = await EtcdLog.OpenAsync(server.Options(server.NewName()), Logs.Soon());
        using GrpcChannel channel = GrpcChannel.ForAddress(server.Url);
        KV.KVClient keys = new(channel);
        await Logs.AppendAsync(log, Logs.Entry(1));
        await using IAsyncEnumerator<LogEntry> reader = log.ReadAsync(1, Logs.Soon()).GetAsyncEnumerator();
        int read = 0;
        for (int round = 0; round < 10; round++)
        {
            int last = 1 + (round * 100);
            while (read < last)
            {
                (await reader.MoveNextAsync()).Should().BeTrue();
                reader.Current.Position.Should().Be(++read);
                reader.Current.Bytes.ToArray().Should().Equal(Logs.Entry(read, LengthOf(read)));
            }

            Task<bool>? next = round % 2 == 0 ? reader.MoveNextAsync().AsTask() : null;
            await Logs.AppendAsync(log, [.. Enumerable.Range(last + 1, 100).Select(static number => Logs.Entry(number, LengthOf(number)))]);
            RangeResponse now = await keys.RangeAsync(new RangeRequest { Key = Google.Protobuf.ByteString.CopyFromUtf8("x") });
            await keys.CompactAsync(new CompactionRequest { Revision = now.Header.Revision, Physical = true });
            if (next is { } waiting)
            {
                (await waiting).Should().BeTrue();
                reader.Current.Bytes.ToArray().Should().Equal(Logs.Entry(++read, LengthOf(read)));
            }
        }
    }

    [Fact]
    public async Task A_connection_that_ends_while_a_watch_is_asked_for_ends_no_reader()
    {
        await server.NeedAsync();
        EtcdLogOptions options = server.Options(server.NewName());
        LostWatches? lost = null;
        options.ConfigureChannel = settings => settings.HttpHandler = lost = new LostWatches(settings.HttpHandler!, 3);
        await using EtcdLog log = await EtcdLog.OpenAsync(options, Logs.Soon());
        await using IAsyncEnumerator<LogEntry> reader = log.ReadAsync(1, Logs.Soon()).GetAsyncEnumerator();
        Task<bool> next = reader.MoveNextAsync().AsTask();
        while (lost!.Left > 0 && !next.IsCompleted)
        {
            await Task.Delay(10);
        }

        await Logs.AppendAsync(log, Logs.Entry(1));
        (await next).Should().BeTrue();
        reader.Current.Bytes.ToArray().Should().Equal(Logs.Entry(1));
    }

    [Fact]
    public async Task A_trim_that_stopped_half_way_is_finished_by_the_next_one()
    {
        await server.NeedAsync();
        string name = server.NewName();
        await using EtcdLog log = await EtcdLog.OpenAsync(server.Options(name), Logs.Soon());
        using GrpcChannel channel = GrpcChannel.ForAddress(server.Url);
        KV.KVClient keys = new(channel);
        await Logs.AppendAsync(log, [.. Enumerable.Range(1, 20).Select(static number => Logs.Entry(number))]);
        await keys.PutAsync(new PutRequest
        {
            Key = Google.Protobuf.ByteString.CopyFromUtf8(name + "/first"),
            Value = Google.Protobuf.ByteString.CopyFromUtf8("0000000000000000015"),
        });
        (await log.GetBoundsAsync(Logs.Soon())).Should().Be(new LogBounds(15, 20));
        Func<Task> read = () => Logs.ReadAsync(log, 14, 1);
        (await read.Should().ThrowAsync<LogTrimmedException>()).Which.First.Should().Be(15);
        (await CountAsync()).Should().Be(20);
        await log.TrimAsync(15, Logs.Soon());
        (await CountAsync()).Should().Be(6);

        async Task<long> CountAsync() => (await keys.RangeAsync(new RangeRequest
        {
            Key = Google.Protobuf.ByteString.CopyFromUtf8(name + "/log/"),
            RangeEnd = Google.Protobuf.ByteString.CopyFromUtf8(name + "/log0"),
            CountOnly = true,
        })).Count;
    }

    [Fact]
    public async Task A_log_whose_keys_were_deleted_is_no_new_log()
    {
        await server.NeedAsync();
        string name = server.NewName();
        await using EtcdLog log = await EtcdLog.OpenAsync(server.Options(name), Logs.Soon());
        using GrpcChannel channel = GrpcChannel.ForAddress(server.Url);
        KV.KVClient keys = new(channel);
        await Logs.AppendAsync(log, Logs.Entry(1));
        await keys.DeleteRangeAsync(new DeleteRangeRequest
        {
            Key = Google.Protobuf.ByteString.CopyFromUtf8(name + "/"),
            RangeEnd = Google.Protobuf.ByteString.CopyFromUtf8(name + "0"),
        });
        Func<Task> append = async () => await log.AppendAsync(Logs.Entry(2), 1, Logs.Soon());
        (await append.Should().ThrowAsync<LogConflictException>()).WithMessage("*gone*");
        Func<Task> bounds = async () => await log.GetBoundsAsync(Logs.Soon());
        await bounds.Should().ThrowAsync<InvalidDataException>();
    }

    [Theory]
    [InlineData(1_600_000)]
    [InlineData(3_000_000)]
    public async Task An_entry_that_the_servers_do_not_take_says_what_to_set(int length)
    {
        await server.NeedAsync();
        EtcdLogOptions options = server.Options(server.NewName());
        options.MaxEntryBytes = 4 << 20;
        await using EtcdLog log = await EtcdLog.OpenAsync(options, Logs.Soon());
        Func<Task> append = async () => await log.AppendAsync(new byte[length], 0, Logs.Soon());
        (await append.Should().ThrowAsync<EtcdSettingsException>()).WithMessage("*--max-request-bytes*");
        (await log.AppendAsync(Logs.Entry(1), 0, Logs.Soon())).Should().Be(1);
    }

    [Fact]
    public async Task A_full_server_says_so_and_nothing_is_dropped()
    {
        await small.NeedAsync();
        await using EtcdLog log = await EtcdLog.OpenAsync(small.Options(small.NewName()), Logs.Soon());
        long last = 0;
        Func<Task> fill = async () =>
        {
            while (true)
            {
                last = await log.AppendAsync(Logs.Entry((int)last + 1, 100_000), last, Logs.Soon());
            }
        };
        (await fill.Should().ThrowAsync<LogUnavailableException>()).WithMessage("*Trim the log*");
        last.Should().BePositive();

        // The first entry that is refused may be there all the same: etcd applies the change that fills it, and then says that it is full.
        LogBounds bounds = await log.GetBoundsAsync(Logs.Soon());
        bounds.First.Should().Be(1);
        bounds.Last.Should().BeInRange(last, last + 1);
        List<byte[]> entries = await Logs.ReadAsync(log, 1, (int)bounds.Last);
        for (int i = 0; i < entries.Count; i++)
        {
            entries[i].Should().Equal(Logs.Entry(i + 1, 100_000));
        }
    }

    [Fact]
    public async Task What_weakens_the_log_is_said()
    {
        await server.NeedAsync();
        await using EtcdLog log = await EtcdLog.OpenAsync(server.Options(server.NewName()), Logs.Soon());
        log.Warnings.Should().ContainSingle().Which.Should().Contain("1 server(s)");
    }

    [Fact]
    public async Task Without_a_server_opening_says_so()
    {
        EtcdLogOptions options = new()
        {
            Endpoints = System.FormattableString.Invariant($"http://127.0.0.1:{FreePorts.Next()}"),
            Name = "log",
            RequestTimeout = TimeSpan.FromSeconds(1),
        };
        Func<Task> open = async () => await EtcdLog.OpenAsync(options, Logs.Soon());
        await open.Should().ThrowAsync<LogUnavailableException>();
    }

    private static int LengthOf(int number) => number == 1 ? 64 : number % 10 == 0 ? 20_000 : 200;
}

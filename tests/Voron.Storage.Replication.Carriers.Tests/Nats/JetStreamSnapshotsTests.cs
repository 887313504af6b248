using System.Buffers;
using System.IO.Pipelines;
using FluentAssertions;
using NATS.Client.Core;
using NATS.Client.JetStream;
using NATS.Client.JetStream.Models;
using Voron.Storage.Replication.Carriers.Tests.Contract;
using Voron.Storage.Replication.Carriers.Tests.Servers;
using Voron.Storage.Replication.Nats;
using Xunit;

namespace Voron.Storage.Replication.Carriers.Tests.Nats;

/// <summary>Snapshots in the object store of a server: whole ones are listed, and what failed leaves nothing.</summary>
public sealed class JetStreamSnapshotsTests(NatsServer server) : IClassFixture<NatsServer>
{
    private static readonly byte[] State = [1, 2, 3, 0, 255];

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(512 << 10)]
    [InlineData((5 << 20) + 12_345)]
    public async Task What_was_written_is_listed_read_and_deleted(int length)
    {
        await using JetStreamSnapshots snapshots = await OpenAsync();
        (await snapshots.ListAsync(Logs.Soon())).Should().BeEmpty();
        byte[] content = Logs.Entry(length, Math.Max(4, length))[..length];
        ReplicaSnapshot written = new(7, 5, State);
        await snapshots.WriteAsync(written, (writer, stop) => WriteAsync(writer, content, stop), Logs.Soon());
        ReplicaSnapshot listed = (await snapshots.ListAsync(Logs.Soon())).Should().ContainSingle().Which;
        (listed.Position, listed.TransactionId).Should().Be((7, 5));
        listed.State.ToArray().Should().Equal(State);
        (await ReadAsync(snapshots, listed)).AsSpan().SequenceEqual(content).Should().BeTrue();
        await snapshots.DeleteAsync(listed, Logs.Soon());
        await snapshots.DeleteAsync(listed, Logs.Soon());
        (await snapshots.ListAsync(Logs.Soon())).Should().BeEmpty();
        (await snapshots.LeftAsync(server)).Should().Be(0);
        Func<Task> read = () => ReadAsync(snapshots, listed);
        await read.Should().ThrowAsync<LogUnavailableException>("it may have been replaced: the list says by which");
    }

    [Fact]
    public async Task The_newest_comes_first_and_one_that_is_written_again_is_there_once()
    {
        await using JetStreamSnapshots snapshots = await OpenAsync();
        foreach (long position in (long[])[20, 3, 100, 20])
        {
            await snapshots.WriteAsync(
                new ReplicaSnapshot(position, position, State),
                (writer, stop) => WriteAsync(writer, Logs.Entry((int)position, 1000), stop),
                Logs.Soon());
        }

        IReadOnlyList<ReplicaSnapshot> all = await snapshots.ListAsync(Logs.Soon());
        all.Select(static one => one.Position).Should().Equal(100, 20, 3);
        (await ReadAsync(snapshots, all[1])).Should().Equal(Logs.Entry(20, 1000));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(3 << 20)]
    public async Task One_that_fails_on_the_way_is_not_listed_and_leaves_nothing(int before)
    {
        await using JetStreamSnapshots snapshots = await OpenAsync();
        ReplicaSnapshot kept = new(1, 1, State);
        await snapshots.WriteAsync(kept, (writer, stop) => WriteAsync(writer, Logs.Entry(1), stop), Logs.Soon());
        long left = await snapshots.LeftAsync(server);
        foreach (long position in (long[])[1, 2])
        {
            Func<Task> write = async () => await snapshots.WriteAsync(
                new ReplicaSnapshot(position, 2, State),
                async (writer, stop) =>
                {
                    await WriteAsync(writer, Logs.Entry(2, Math.Max(4, before)), stop);
                    throw new IOException("The disk is gone.");
                },
                Logs.Soon());
            await write.Should().ThrowAsync<IOException>().WithMessage("The disk is gone.");
        }

        (await snapshots.ListAsync(Logs.Soon())).Select(static one => one.Position).Should().Equal(1);
        (await ReadAsync(snapshots, kept)).Should().Equal(Logs.Entry(1), "the one that it would have replaced is still there");
        (await snapshots.LeftAsync(server)).Should().Be(left);
    }

    [Fact]
    public async Task A_cancelled_one_is_not_listed_and_leaves_nothing()
    {
        await using JetStreamSnapshots snapshots = await OpenAsync();
        using CancellationTokenSource cancelled = new();
        Func<Task> write = async () => await snapshots.WriteAsync(
            new ReplicaSnapshot(2, 2, State),
            async (writer, stop) =>
            {
                await WriteAsync(writer, Logs.Entry(2, 3 << 20), stop);
                await cancelled.CancelAsync();
            },
            cancelled.Token);
        await write.Should().ThrowAsync<OperationCanceledException>();
        (await snapshots.ListAsync(Logs.Soon())).Should().BeEmpty();
        (await snapshots.LeftAsync(server)).Should().Be(0);
    }

    [Fact]
    public async Task What_a_reader_throws_comes_back_and_ends_the_reading()
    {
        await using JetStreamSnapshots snapshots = await OpenAsync();
        ReplicaSnapshot snapshot = new(2, 2, State);
        await snapshots.WriteAsync(snapshot, (writer, stop) => WriteAsync(writer, Logs.Entry(2, 8 << 20), stop), Logs.Soon());
        Func<Task> read = async () => await snapshots.ReadAsync(
            snapshot,
            static async (reader, stop) =>
            {
                await reader.ReadAsync(stop);
                throw new IOException("The disk is full.");
            },
            Logs.Soon());
        await read.Should().ThrowAsync<IOException>().WithMessage("The disk is full.");
        using CancellationTokenSource cancelled = new();
        Func<Task> stopped = async () => await snapshots.ReadAsync(
            snapshot,
            async (reader, stop) =>
            {
                await reader.ReadAsync(stop);
                await cancelled.CancelAsync();
                await Task.Delay(Timeout.Infinite, stop);
            },
            cancelled.Token);
        await stopped.Should().ThrowAsync<OperationCanceledException>();
        (await ReadAsync(snapshots, snapshot)).Should().HaveCount(8 << 20);
    }

    [Fact]
    public async Task A_snapshot_that_lost_parts_is_not_listed()
    {
        await using JetStreamSnapshots snapshots = await OpenAsync();
        await snapshots.WriteAsync(
            new ReplicaSnapshot(2, 2, State), (writer, stop) => WriteAsync(writer, Logs.Entry(2, 3 << 20), stop), Logs.Soon());
        await snapshots.ChangeAsync(server, static async (context, stream) =>
            await context.DeleteMessageAsync(stream, new StreamMsgDeleteRequest { Seq = 2 }));
        (await snapshots.ListAsync(Logs.Soon())).Should().BeEmpty();
    }

    [Fact]
    public async Task What_a_killed_process_left_is_removed_when_it_is_old()
    {
        foreach (TimeSpan age in (TimeSpan[])[TimeSpan.FromHours(1), TimeSpan.Zero])
        {
            await using JetStreamSnapshots snapshots = await OpenAsync(options => options.AbandonedAfter = age);
            await snapshots.ChangeAsync(server, static async (context, stream) =>
                await context.PublishAsync($"$O.{stream["OBJ_".Length..]}.C.left", new byte[1000]));
            await snapshots.WriteAsync(
                new ReplicaSnapshot(2, 2, State), (writer, stop) => WriteAsync(writer, Logs.Entry(2), stop), Logs.Soon());
            (await snapshots.ListAsync(Logs.Soon())).Should().ContainSingle();
            (await snapshots.LeftAsync(server)).Should().Be(age == TimeSpan.Zero ? 2 : 3, "a part and a name");
        }
    }

    [Fact]
    public async Task A_server_that_is_gone_is_an_outage_and_the_snapshots_are_there_when_it_is_back()
    {
        await using JetStreamSnapshots snapshots = await OpenAsync(options => options.RequestTimeout = TimeSpan.FromSeconds(1));
        ReplicaSnapshot snapshot = new(2, 2, State);
        byte[] content = Logs.Entry(2, 20 << 20);
        await snapshots.WriteAsync(snapshot, (writer, stop) => WriteAsync(writer, content, stop), Logs.Soon());
        Func<Task>[] calls =
        [
            async () => await snapshots.WriteAsync(
                new ReplicaSnapshot(3, 3, State),
                async (writer, stop) =>
                {
                    await WriteAsync(writer, content, stop);
                    server.Process.Kill();
                    await WriteAsync(writer, content, stop);
                },
                Logs.Soon()),
            async () => await snapshots.ListAsync(Logs.Soon()),
            async () => await snapshots.DeleteAsync(snapshot, Logs.Soon()),
            () => ReadAsync(snapshots, snapshot),
        ];
        foreach (Func<Task> call in calls)
        {
            await call.Should().ThrowAsync<LogUnavailableException>();
        }

        await server.Process.StartAsync();
        IReadOnlyList<ReplicaSnapshot>? all = null;
        while (all is null)
        {
            try
            {
                all = await snapshots.ListAsync(Logs.Soon());
            }
            catch (LogUnavailableException)
            {
                await Task.Delay(50);
            }
        }

        all.Select(static one => one.Position).Should().Equal(2);
        (await ReadAsync(snapshots, snapshot)).AsSpan().SequenceEqual(content).Should().BeTrue();
    }

    [Fact]
    public async Task A_bucket_that_could_lose_snapshots_is_refused()
    {
        await using JetStreamSnapshots snapshots = await OpenAsync();
        snapshots.Warnings.Should().ContainMatch("The bucket is on 1 server(s)*");
        JetStreamSnapshotsOptions options = server.SnapshotsOptions(server.NewName());
        options.CreateBucket = false;
        Func<Task> open = async () => await JetStreamSnapshots.OpenAsync(options, Logs.Soon());
        (await open.Should().ThrowAsync<JetStreamSettingsException>()).WithMessage($"*bucket '{options.Bucket}'*there is none*");
        (options.CreateBucket, options.Replicas) = (true, 3);
        (await open.Should().ThrowAsync<JetStreamSettingsException>()).WithMessage("*cluster of at least 3 servers*");
        options.Replicas = 1;
        await using (await JetStreamSnapshots.OpenAsync(options, Logs.Soon()))
        {
            await snapshots.ChangeAsync(server, async (context, _) =>
            {
                StreamConfig settings = (await context.GetStreamAsync("OBJ_" + options.Bucket)).Info.Config;
                settings.MaxAge = TimeSpan.FromHours(1);
                await context.UpdateStreamAsync(settings);
            });
        }

        (await open.Should().ThrowAsync<JetStreamSettingsException>()).Which.Settings.Should().ContainSingle("max_age: 0 (it is 01:00:00)");
        options.Bucket = "a.b";
        await open.Should().ThrowAsync<ArgumentException>();
    }

    private async Task<JetStreamSnapshots> OpenAsync(Action<JetStreamSnapshotsOptions>? configure = null)
    {
        await server.NeedAsync();
        JetStreamSnapshotsOptions options = server.SnapshotsOptions(server.NewName());
        configure?.Invoke(options);
        return await JetStreamSnapshots.OpenAsync(options, Logs.Soon());
    }

    private static async ValueTask WriteAsync(PipeWriter writer, byte[] content, CancellationToken stop)
    {
        for (int at = 0; at < content.Length; at += 100_000)
        {
            await writer.WriteAsync(content.AsMemory(at, Math.Min(100_000, content.Length - at)), stop);
        }
    }

    private static async Task<byte[]> ReadAsync(JetStreamSnapshots snapshots, ReplicaSnapshot snapshot)
    {
        ArrayBufferWriter<byte> found = new();
        await snapshots.ReadAsync(
            snapshot,
            async (reader, stop) =>
            {
                ReadResult read;
                do
                {
                    read = await reader.ReadAsync(stop);
                    foreach (ReadOnlyMemory<byte> part in read.Buffer)
                    {
                        found.Write(part.Span);
                    }

                    reader.AdvanceTo(read.Buffer.End);
                }
                while (!read.IsCompleted);
            },
            Logs.Soon());
        return found.WrittenSpan.ToArray();
    }
}

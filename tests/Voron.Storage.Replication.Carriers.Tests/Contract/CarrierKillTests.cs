using FluentAssertions;
using Voron.Storage.Replication.Carriers.Tests.Servers;
using Xunit;

namespace Voron.Storage.Replication.Carriers.Tests.Contract;

/// <summary>A server that is killed with <c>kill -9</c>, is silent, or comes back without its last entries.</summary>
public abstract class CarrierKillTests(LogServer server)
{
    /// <summary>Kills of a server under load; CI asks for more.</summary>
    private static readonly int Kills = int.Parse(
        Environment.GetEnvironmentVariable("VORON_LOG_KILLS") ?? "3", System.Globalization.CultureInfo.InvariantCulture);

    [Fact]
    public async Task Nothing_acknowledged_is_lost_when_the_server_is_killed_again_and_again()
    {
        await server.NeedAsync();
        await using IReplicatedLog log = await server.OpenAsync(server.NewName());
        using CancellationTokenSource end = new(Logs.Patience * (1 + Kills));
        Dictionary<long, int> acknowledged = [];
        List<int> read = [];
        const int Last = -1;
        bool isDone = false;
        Task reader = Task.Run(() => Logs.ReadThroughAsync(
            log,
            1,
            entry =>
            {
                read.Add(BitConverter.ToInt32(entry.Bytes.Span));
                return read[^1] != Last;
            },
            end.Token));
        Task writer = Task.Run(async () =>
        {
            for (int number = 1; !Volatile.Read(ref isDone); number++)
            {
                acknowledged[await Logs.InsistAsync(log, Logs.Entry(number), end.Token)] = number;
            }

            acknowledged[await Logs.InsistAsync(log, Logs.Entry(Last), end.Token)] = Last;
        });
        for (int kill = 0; kill < Kills; kill++)
        {
            long before = (await log.GetBoundsAsync(Logs.Soon())).Last;
            while ((await log.GetBoundsAsync(Logs.Soon())).Last < before + 20)
            {
                await Task.Delay(5);
            }

            server.Process.Kill();
            await server.Process.StartAsync();
            await WaitAsync(log);
        }

        Volatile.Write(ref isDone, true);
        await Task.WhenAll(writer, reader);
        foreach ((long position, int number) in acknowledged)
        {
            read[(int)position - 1].Should().Be(number, "the entry at {0} was acknowledged", position);
        }

        acknowledged.Should().HaveCountGreaterThan(20 * Kills);
    }

    [Fact]
    public async Task While_the_server_is_away_each_call_says_so_and_then_the_log_goes_on()
    {
        await server.NeedAsync();
        await using IReplicatedLog log = await server.OpenAsync(server.NewName());
        await Logs.AppendAsync(log, Logs.Entry(1));
        server.Process.Kill();
        Func<Task> append = async () => await log.AppendAsync(Logs.Entry(2), 1, Logs.Soon());
        Func<Task> bounds = async () => await log.GetBoundsAsync(Logs.Soon());
        Func<Task> trim = async () => await log.TrimAsync(1, Logs.Soon());
        Func<Task> read = () => Logs.ReadAsync(log, 1, 1);
        await Task.WhenAll(
            append.Should().ThrowAsync<LogUnavailableException>(),
            bounds.Should().ThrowAsync<LogUnavailableException>(),
            trim.Should().ThrowAsync<LogUnavailableException>(),
            read.Should().ThrowAsync<LogUnavailableException>());
        await server.Process.StartAsync();
        await Logs.InsistAsync(log, Logs.Entry(3), Logs.Soon());
        (await Logs.ReadAsync(log, 1, 1))[0].Should().Equal(Logs.Entry(1));
    }

    [Fact]
    public async Task A_server_that_is_stopped_and_goes_on_is_waited_for()
    {
        await server.NeedAsync();
        await using IReplicatedLog log = await server.OpenAsync(server.NewName());
        await Logs.AppendAsync(log, Logs.Entry(1));
        await using IAsyncEnumerator<LogEntry> reader = log.ReadAsync(1, Logs.Soon()).GetAsyncEnumerator();
        (await reader.MoveNextAsync()).Should().BeTrue();
        await server.Process.StopAsync();
        try
        {
            Func<Task> append = async () => await log.AppendAsync(Logs.Entry(2), 1, Logs.Soon());
            await append.Should().ThrowAsync<LogUnavailableException>();
        }
        finally
        {
            server.Process.Continue();
        }

        long last = await Logs.InsistAsync(log, Logs.Entry(3), Logs.Soon());
        await Logs.ReadThroughAsync(
            log, 2, entry => entry.Position < last || !entry.Bytes.Span.SequenceEqual(Logs.Entry(3)), Logs.Soon());
    }

    [Fact]
    public async Task Positions_do_not_begin_anew_when_a_log_that_was_trimmed_whole_is_killed()
    {
        await server.NeedAsync();
        await using IReplicatedLog log = await server.OpenAsync(server.NewName());
        await Logs.AppendAsync(log, Logs.Entry(1), Logs.Entry(2), Logs.Entry(3));
        await log.TrimAsync(4, Logs.Soon());
        server.Process.Kill();
        await server.Process.StartAsync();
        await WaitAsync(log);
        (await log.GetBoundsAsync(Logs.Soon())).Should().Be(new LogBounds(4, 3));
        (await log.AppendAsync(Logs.Entry(4), 3, Logs.Soon())).Should().Be(4);
        (await Logs.ReadAsync(log, 4, 1))[0].Should().Equal(Logs.Entry(4));
    }

    /// <summary>A power cut of a server that does not sync, or a restored backup: other entries lie where the reader was.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_log_that_lost_entries_and_went_on_is_not_read_further(bool endsReading)
    {
        await server.NeedAsync();
        string name = server.NewName();
        await using IReplicatedLog log = await server.OpenAsync(name);
        await Logs.AppendAsync(log, Logs.Entry(1), Logs.Entry(2));
        server.Process.Kill();
        server.PutAside();
        await server.Process.StartAsync();
        await WaitAsync(log);
        await Logs.AppendAsync(log, Logs.Entry(3), Logs.Entry(4));
        IAsyncEnumerator<LogEntry> reader = log.ReadAsync(1, Logs.Soon()).GetAsyncEnumerator();
        for (int i = 0; i < 4; i++)
        {
            (await reader.MoveNextAsync()).Should().BeTrue();
        }

        if (endsReading)
        {
            await reader.DisposeAsync();
        }

        server.Process.Kill();
        server.BringBack();
        await server.Process.StartAsync();
        await WaitAsync(log);
        (await log.GetBoundsAsync(Logs.Soon())).Last.Should().Be(2);
        await Logs.AppendAsync(log, Logs.Entry(13), Logs.Entry(14), Logs.Entry(15));
        Func<Task> read = endsReading
            ? () => Logs.ReadThroughAsync(log, 5, static _ => true, Logs.Soon())
            : async () => await reader.MoveNextAsync();
        (await read.Should().ThrowAsync<InvalidDataException>()).WithMessage("*another entry at position 4*");
        if (!endsReading)
        {
            await reader.DisposeAsync();
        }
    }

    /// <summary>Until the log answers again.</summary>
    private static async Task WaitAsync(IReplicatedLog log)
    {
        CancellationToken end = Logs.Soon();
        while (true)
        {
            try
            {
                await log.GetBoundsAsync(end);
                return;
            }
            catch (LogUnavailableException)
            {
                await Task.Delay(20, end);
            }
        }
    }
}

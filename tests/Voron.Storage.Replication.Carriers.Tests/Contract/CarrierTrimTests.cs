using FluentAssertions;
using Voron.Storage.Replication.Carriers.Tests.Servers;
using Xunit;

namespace Voron.Storage.Replication.Carriers.Tests.Contract;

/// <summary>What a trim leaves of a log, and what readers below it are told.</summary>
public abstract class CarrierTrimTests(LogServer server)
{
    [Fact]
    public async Task A_trim_below_what_was_trimmed_changes_nothing()
    {
        await using IReplicatedLog log = await FilledAsync(10);
        await log.TrimAsync(1, Logs.Soon());
        (await log.GetBoundsAsync(Logs.Soon())).Should().Be(new LogBounds(1, 10));
        foreach (long below in (long[])[7, 7, 3, 0])
        {
            await log.TrimAsync(below, Logs.Soon());
            (await log.GetBoundsAsync(Logs.Soon())).Should().Be(new LogBounds(7, 10));
        }
    }

    [Fact]
    public async Task A_log_that_was_trimmed_whole_goes_on_behind_its_last_position()
    {
        await using IReplicatedLog log = await FilledAsync(10);
        await log.TrimAsync(11, Logs.Soon());
        (await log.GetBoundsAsync(Logs.Soon())).Should().Be(new LogBounds(11, 10));
        (await ReadFailsAsync(log, 10)).First.Should().Be(11, "it fails at once, and does not wait for an entry");
        Task<List<byte[]>> reader = Logs.ReadAsync(log, 11, 2);
        (await log.AppendAsync(Logs.Entry(11), 10, Logs.Soon())).Should().Be(11);
        (await log.AppendAsync(Logs.Entry(12), 11, Logs.Soon())).Should().Be(12);
        (await reader)[1].Should().Equal(Logs.Entry(12));
        (await log.GetBoundsAsync(Logs.Soon())).Should().Be(new LogBounds(11, 12));
    }

    [Fact]
    public async Task A_trim_past_the_end_is_refused()
    {
        await using IReplicatedLog log = await FilledAsync(3);
        Func<Task> trim = async () => await log.TrimAsync(5, Logs.Soon());
        await trim.Should().ThrowAsync<ArgumentOutOfRangeException>();
        (await log.GetBoundsAsync(Logs.Soon())).Should().Be(new LogBounds(1, 3));
    }

    [Fact]
    public async Task A_reader_that_a_trim_overtakes_is_told_so_and_skips_nothing()
    {
        const int Count = 1500;
        await using IReplicatedLog log = await FilledAsync(Count);
        long position = 0;
        Func<Task> read = async () =>
        {
            await foreach (LogEntry entry in log.ReadAsync(1, Logs.Soon()))
            {
                entry.Position.Should().Be(++position);
                entry.Bytes.ToArray().Should().Equal(Logs.Entry((int)position));
                if (position == 10)
                {
                    await log.TrimAsync(Count - 5, Logs.Soon());
                }
            }
        };
        (await read.Should().ThrowAsync<LogTrimmedException>()).Which.First.Should().Be(Count - 5);
        position.Should().BeInRange(10, Count - 6);
    }

    [Fact]
    public async Task A_trim_below_a_reader_does_not_disturb_it()
    {
        await using IReplicatedLog log = await FilledAsync(20);
        await using IAsyncEnumerator<LogEntry> reader = log.ReadAsync(1, Logs.Soon()).GetAsyncEnumerator();
        for (int position = 1; position <= 40; position++)
        {
            if (position > 20)
            {
                await log.AppendAsync(Logs.Entry(position), position - 1, Logs.Soon());
            }

            (await reader.MoveNextAsync()).Should().BeTrue();
            reader.Current.Position.Should().Be(position);
            await log.TrimAsync(position + (position % 2), Logs.Soon());
        }
    }

    private async Task<IReplicatedLog> FilledAsync(int count)
    {
        await server.NeedAsync();
        IReplicatedLog log = await server.OpenAsync(server.NewName());
        for (int first = 1; first <= count; first += 100)
        {
            await Task.WhenAll(Enumerable.Range(first, Math.Min(100, count - first + 1))
                .Select(number => log.AppendAsync(Logs.Entry(number), number - 1, Logs.Soon()).AsTask()));
        }

        return log;
    }

    private static async Task<LogTrimmedException> ReadFailsAsync(IReplicatedLog log, long from)
    {
        Func<Task> read = () => Logs.ReadAsync(log, from, 1);
        return (await read.Should().ThrowAsync<LogTrimmedException>()).Which;
    }
}

using FluentAssertions;
using Voron.Storage.Replication;
using Xunit;

namespace Voron.Storage.Replication.Tests;

/// <summary>
/// What every carrier of a log must do. A carrier derives from it, and says how to open clients of a log that is new for each test.
/// </summary>
public abstract class LogContractTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    /// <summary>Opens another client of this test's log, which is empty at first.</summary>
    protected abstract ValueTask<IReplicatedLog> OpenAsync();

    [Fact]
    public async Task A_new_log_is_empty()
    {
        await using IReplicatedLog log = await OpenAsync();
        (await log.GetBoundsAsync(Limit())).Should().Be(new LogBounds(1, 0));
        log.MaxEntryBytes.Should().BeGreaterThanOrEqualTo(4096);
    }

    [Fact]
    public async Task Entries_have_consecutive_positions_and_all_readers_see_them_in_order()
    {
        await using IReplicatedLog log = await OpenAsync();
        for (int i = 0; i < 20; i++)
        {
            (await log.AppendAsync(Entry(i), i, Limit())).Should().Be(i + 1);
        }

        await using IReplicatedLog other = await OpenAsync();
        (await other.GetBoundsAsync(Limit())).Should().Be(new LogBounds(1, 20));
        (await ReadAsync(other, 1, 20)).Should().Equal(Enumerable.Range(0, 20).Select(static i => (i + 1L, i)));
        (await ReadAsync(log, 7, 3)).Should().Equal((7L, 6), (8L, 7), (9L, 8));
    }

    [Fact]
    public async Task An_entry_behind_another_end_is_refused_and_not_appended()
    {
        await using IReplicatedLog log = await OpenAsync();
        await log.AppendAsync(Entry(0), 0, Limit());
        foreach (long wrong in (long[])[0, 2, 17])
        {
            Func<Task> append = async () => await log.AppendAsync(Entry(9), wrong, Limit());
            await append.Should().ThrowAsync<LogConflictException>();
        }

        await log.AppendAsync(Entry(1), 1, Limit());
        (await ReadAsync(log, 1, 2)).Should().Equal((1L, 0), (2L, 1));
        (await log.GetBoundsAsync(Limit())).Last.Should().Be(2);
    }

    [Fact]
    public async Task One_of_several_writers_gets_a_position()
    {
        IReplicatedLog[] logs = [await OpenAsync(), await OpenAsync(), await OpenAsync()];
        for (int round = 0; round < 10; round++)
        {
            bool[] won = await Task.WhenAll(logs.Select(log => TryAppendAsync(log, Entry(round), round)));
            won.Count(static one => one).Should().Be(1, "round {0}", round);
        }

        (await logs[0].GetBoundsAsync(Limit())).Should().Be(new LogBounds(1, 10));
        foreach (IReplicatedLog log in logs)
        {
            await log.DisposeAsync();
        }
    }

    [Fact]
    public async Task Entries_sent_at_once_are_where_their_answers_say()
    {
        await using IReplicatedLog log = await OpenAsync();
        Task<long>[] answers = [.. Enumerable.Range(0, 16).Select(i => AppendOrZeroAsync(log, Entry(i), i))];
        long[] positions = await Task.WhenAll(answers);
        positions[0].Should().Be(1);
        long last = (await log.GetBoundsAsync(Limit())).Last;
        last.Should().Be(positions.Count(static position => position > 0));
        foreach ((long position, int value) in await ReadAsync(log, 1, (int)last))
        {
            positions[value].Should().Be(position);
        }
    }

    [Fact]
    public async Task A_reader_waits_for_entries_and_ends_when_it_is_cancelled()
    {
        await using IReplicatedLog log = await OpenAsync();
        await using IReplicatedLog other = await OpenAsync();
        Task<List<(long, int)>> reading = ReadAsync(other, 1, 3);
        await log.AppendAsync(Entry(5), 0, Limit());
        await log.AppendAsync(Entry(6), 1, Limit());
        reading.IsCompleted.Should().BeFalse();
        await log.AppendAsync(Entry(7), 2, Limit());
        (await reading).Should().Equal((1L, 5), (2L, 6), (3L, 7));

        using CancellationTokenSource stop = new();
        Task waiting = Task.Run(async () =>
        {
            await foreach (LogEntry entry in other.ReadAsync(4, stop.Token))
            {
                entry.Position.Should().Be(0, "there is no such entry");
            }
        });
        await stop.CancelAsync();
        Func<Task> wait = () => waiting.WaitAsync(Patience);
        await wait.Should().ThrowAsync<OperationCanceledException>();
    }

    [Fact]
    public async Task The_longest_entry_comes_back_as_it_was()
    {
        await using IReplicatedLog log = await OpenAsync();
        byte[] longest = new byte[Math.Min(log.MaxEntryBytes, 1 << 20)];
        new Random(7).NextBytes(longest);
        await log.AppendAsync(longest, 0, Limit());
        await log.AppendAsync(Entry(1), 1, Limit());
        await foreach (LogEntry entry in log.ReadAsync(1, Limit()))
        {
            entry.Bytes.ToArray().Should().Equal(longest);
            break;
        }
    }

    [Fact]
    public async Task What_was_trimmed_is_named_and_the_rest_stays()
    {
        await using IReplicatedLog log = await OpenAsync();
        for (int i = 0; i < 10; i++)
        {
            await log.AppendAsync(Entry(i), i, Limit());
        }

        await log.TrimAsync(5, Limit());
        (await log.GetBoundsAsync(Limit())).Should().Be(new LogBounds(5, 10));
        await using IReplicatedLog other = await OpenAsync();
        foreach (long gone in (long[])[1, 4])
        {
            Func<Task> read = () => ReadAsync(other, gone, 1);
            (await read.Should().ThrowAsync<LogTrimmedException>()).Which.First.Should().Be(5);
        }

        (await ReadAsync(other, 5, 6)).Select(static entry => entry.Position).Should().Equal(5, 6, 7, 8, 9, 10);
        await log.AppendAsync(Entry(10), 10, Limit());
        (await ReadAsync(other, 11, 1)).Should().Equal((11L, 10));
    }

    [Fact]
    public async Task Positions_go_on_after_everything_was_trimmed()
    {
        await using IReplicatedLog log = await OpenAsync();
        for (int i = 0; i < 4; i++)
        {
            await log.AppendAsync(Entry(i), i, Limit());
        }

        await log.TrimAsync(5, Limit());
        (await log.GetBoundsAsync(Limit())).Should().Be(new LogBounds(5, 4));
        (await log.AppendAsync(Entry(4), 4, Limit())).Should().Be(5);
        (await ReadAsync(log, 5, 1)).Should().Equal((5L, 4));
    }

    private static CancellationToken Limit() => new CancellationTokenSource(Patience).Token;

    private static byte[] Entry(int value)
    {
        byte[] entry = new byte[40];
        BitConverter.TryWriteBytes(entry, value);
        return entry;
    }

    private static async Task<bool> TryAppendAsync(IReplicatedLog log, byte[] entry, long expected) =>
        await AppendOrZeroAsync(log, entry, expected) > 0;

    private static async Task<long> AppendOrZeroAsync(IReplicatedLog log, byte[] entry, long expected)
    {
        try
        {
            return await log.AppendAsync(entry, expected, Limit());
        }
        catch (LogConflictException)
        {
            return 0;
        }
    }

    private static async Task<List<(long Position, int Value)>> ReadAsync(IReplicatedLog log, long from, int count)
    {
        List<(long, int)> read = [];
        await foreach (LogEntry entry in log.ReadAsync(from, Limit()))
        {
            read.Add((entry.Position, BitConverter.ToInt32(entry.Bytes.Span)));
            if (read.Count == count)
            {
                break;
            }
        }

        return read;
    }
}

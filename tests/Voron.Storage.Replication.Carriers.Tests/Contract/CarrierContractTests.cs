using FluentAssertions;
using Voron.Storage.Replication.Carriers.Tests.Servers;
using Xunit;

namespace Voron.Storage.Replication.Carriers.Tests.Contract;

/// <summary>More than every log is asked for: what a real server, with its connections and limits, could do wrong.</summary>
public abstract class CarrierContractTests(LogServer server)
{
    private static readonly byte[] One = Logs.Entry(1);
    private static readonly byte[] Two = Logs.Entry(2);
    private static readonly byte[] Three = Logs.Entry(3);

    [Fact]
    public async Task A_log_that_is_opened_again_has_its_entries()
    {
        string name = server.NewName();
        await server.NeedAsync();
        await using (IReplicatedLog log = await server.OpenAsync(name))
        {
            await Logs.AppendAsync(log, One, Two);
        }

        await using IReplicatedLog again = await server.OpenAsync(name);
        (await again.GetBoundsAsync(Logs.Soon())).Should().Be(new LogBounds(1, 2));
        ShouldBe(await Logs.ReadAsync(again, 1, 2), One, Two);
    }

    [Fact]
    public async Task Logs_of_other_names_are_other_logs()
    {
        await using IReplicatedLog log = await NewAsync();
        await using IReplicatedLog other = await NewAsync();
        await Logs.AppendAsync(log, One, Two);
        (await other.GetBoundsAsync(Logs.Soon())).Should().Be(new LogBounds(1, 0));
        await Logs.AppendAsync(other, Three);
        ShouldBe(await Logs.ReadAsync(other, 1, 1), Three);
    }

    [Fact]
    public async Task Of_many_that_append_behind_the_same_position_exactly_one_wins()
    {
        await server.NeedAsync();
        string name = server.NewName();
        IReplicatedLog[] logs = await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => server.OpenAsync(name)));
        List<byte[]> winners = [];
        for (int round = 0; round < 25; round++)
        {
            byte[][] entries = [.. logs.Select((_, i) => Logs.Entry((round * logs.Length) + i))];
            bool[] won = await Task.WhenAll(logs.Select((log, i) => TryAppendAsync(log, entries[i], winners.Count)));
            won.Count(static one => one).Should().Be(1);
            winners.Add(entries[Array.IndexOf(won, true)]);
        }

        foreach (IReplicatedLog log in logs)
        {
            ShouldBe(await Logs.ReadAsync(log, 1, winners.Count), [.. winners]);
            await log.DisposeAsync();
        }
    }

    [Fact]
    public async Task A_reader_waits_at_the_end_for_what_is_appended()
    {
        await using IReplicatedLog log = await NewAsync();
        await Logs.AppendAsync(log, One);
        await using IAsyncEnumerator<LogEntry> reader = log.ReadAsync(2, Logs.Soon()).GetAsyncEnumerator();
        for (int i = 2; i < 12; i++)
        {
            ValueTask<bool> next = reader.MoveNextAsync();
            next.IsCompleted.Should().BeFalse();
            await Logs.AppendAsync(log, Logs.Entry(i));
            (await next).Should().BeTrue();
            reader.Current.Position.Should().Be(i);
            reader.Current.Bytes.ToArray().Should().Equal(Logs.Entry(i));
        }
    }

    [Fact]
    public async Task A_reader_past_the_end_waits_until_the_log_has_come_there()
    {
        await using IReplicatedLog log = await NewAsync();
        await Logs.AppendAsync(log, One);
        await using IAsyncEnumerator<LogEntry> reader = log.ReadAsync(4, Logs.Soon()).GetAsyncEnumerator();
        ValueTask<bool> next = reader.MoveNextAsync();
        await Logs.AppendAsync(log, Two, Three);
        next.IsCompleted.Should().BeFalse();
        await Logs.AppendAsync(log, Logs.Entry(4), Logs.Entry(5));
        (await next).Should().BeTrue();
        reader.Current.Position.Should().Be(4);
        reader.Current.Bytes.ToArray().Should().Equal(Logs.Entry(4));
    }

    [Fact]
    public async Task All_readers_see_one_order()
    {
        await server.NeedAsync();
        string name = server.NewName();
        await using IReplicatedLog log = await server.OpenAsync(name);
        await using IReplicatedLog other = await server.OpenAsync(name);
        const int Count = 300;
        Task<List<byte[]>> early = Logs.ReadAsync(log, 1, Count);
        Task<List<byte[]>> elsewhere = Logs.ReadAsync(other, 1, Count);
        Task one = InsistAllAsync(log, 0, Count / 2);
        Task two = InsistAllAsync(other, Count / 2, Count);
        await Task.WhenAll(one, two);
        List<byte[]> late = await Logs.ReadAsync(log, 1, Count);
        ShouldBe(await early, [.. late]);
        ShouldBe(await elsewhere, [.. late]);
        late.Select(static entry => BitConverter.ToInt32(entry)).Should().BeEquivalentTo(Enumerable.Range(0, Count));
    }

    [Fact]
    public async Task Appends_that_overlap_keep_their_order()
    {
        await using IReplicatedLog log = await NewAsync();
        long last = 0;
        for (int batch = 0; batch < 10; batch++)
        {
            long behind = last;
            Task<long>[] appends = [.. Enumerable.Range((int)last, 50)
                .Select(number => log.AppendAsync(Logs.Entry(number), behind++, Logs.Soon()).AsTask())];
            (await Task.WhenAll(appends)).Should().Equal(Enumerable.Range((int)last + 1, 50).Select(static one => (long)one));
            last += 50;
        }

        ShouldBe(await Logs.ReadAsync(log, 1, 500), [.. Enumerable.Range(0, 500).Select(static number => Logs.Entry(number))]);
    }

    [Fact]
    public async Task The_longest_entry_fits_and_a_longer_one_is_refused()
    {
        await using IReplicatedLog log = await NewAsync();
        byte[] longest = Logs.Entry(1, log.MaxEntryBytes);
        await Logs.AppendAsync(log, longest, [], Two, longest);
        ShouldBe(await Logs.ReadAsync(log, 1, 4), longest, [], Two, longest);
        Func<Task> append = async () => await log.AppendAsync(new byte[log.MaxEntryBytes + 1], 4, Logs.Soon());
        await append.Should().ThrowAsync<ArgumentException>();
    }

    [Fact]
    public async Task Many_long_entries_are_read_in_order()
    {
        await using IReplicatedLog log = await NewAsync();
        byte[][] entries = [.. Enumerable.Range(0, 100).Select(number => Logs.Entry(number, number % 7 == 0 ? 500_000 : 3_000))];
        await Logs.AppendAsync(log, entries);
        ShouldBe(await Logs.ReadAsync(log, 1, entries.Length), entries);
    }

    [Fact]
    public async Task What_was_cancelled_before_is_not_appended()
    {
        await using IReplicatedLog log = await NewAsync();
        Func<Task> append = async () => await log.AppendAsync(One, 0, new CancellationToken(canceled: true));
        await append.Should().ThrowAsync<OperationCanceledException>();
        Func<Task> bounds = async () => await log.GetBoundsAsync(new CancellationToken(canceled: true));
        await bounds.Should().ThrowAsync<OperationCanceledException>();
        (await log.GetBoundsAsync(Logs.Soon())).Last.Should().Be(0);
    }

    [Fact]
    public async Task A_disposed_log_ends_its_readers_and_refuses_calls()
    {
        IReplicatedLog log = await NewAsync();
        await using IAsyncEnumerator<LogEntry> reader = log.ReadAsync(1, Logs.Soon()).GetAsyncEnumerator();
        Task<bool> next = reader.MoveNextAsync().AsTask();
        await log.DisposeAsync();
        Func<Task> wait = () => next.WaitAsync(Logs.Patience);
        await wait.Should().ThrowAsync<ObjectDisposedException>();
        Func<Task> append = async () => await log.AppendAsync(One, 0, Logs.Soon());
        await append.Should().ThrowAsync<ObjectDisposedException>();
        await log.DisposeAsync();
    }

    [Fact]
    public async Task Wrong_arguments_are_refused()
    {
        await using IReplicatedLog log = await NewAsync();
        Func<Task> append = async () => await log.AppendAsync(One, -1, Logs.Soon());
        await append.Should().ThrowAsync<ArgumentOutOfRangeException>();
        Action read = () => log.ReadAsync(0, Logs.Soon());
        read.Should().Throw<ArgumentOutOfRangeException>();
    }

    private async Task<IReplicatedLog> NewAsync()
    {
        await server.NeedAsync();
        return await server.OpenAsync(server.NewName());
    }

    private static async Task<bool> TryAppendAsync(IReplicatedLog log, byte[] entry, long expectedLast)
    {
        try
        {
            (await log.AppendAsync(entry, expectedLast, Logs.Soon())).Should().Be(expectedLast + 1);
            return true;
        }
        catch (LogConflictException)
        {
            return false;
        }
    }

    private static async Task InsistAllAsync(IReplicatedLog log, int from, int to)
    {
        for (int number = from; number < to; number++)
        {
            await Logs.InsistAsync(log, Logs.Entry(number), Logs.Soon());
        }
    }

    private static void ShouldBe(List<byte[]> found, params byte[][] expected)
    {
        found.Should().HaveCount(expected.Length);
        for (int i = 0; i < expected.Length; i++)
        {
            found[i].AsSpan().SequenceEqual(expected[i]).Should().BeTrue("entry {0} is as it was appended", i + 1);
        }
    }
}

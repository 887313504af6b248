using System.Diagnostics;
using System.Runtime.CompilerServices;
using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Transactions;
using Xunit;

#pragma warning disable CA2012 // Some tests are about results that are never fetched.

namespace Voron.Storage.Tests.Doors;

/// <summary>
/// One transaction used by two threads, time-outs that are none, waits that have no end: a typed error for the caller, and no harm to
/// anybody else.
/// </summary>
public sealed class MisuseTests
{
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan LongestRace = TimeSpan.FromSeconds(15);

    public static TheoryData<TimeSpan> NegativeTimeouts =>
        [TimeSpan.FromTicks(-1), TimeSpan.FromMilliseconds(-2), TimeSpan.FromDays(-60), TimeSpan.MinValue];

    public static TheoryData<TimeSpan> LongTimeouts =>
        [TimeSpan.FromDays(25), TimeSpan.FromDays(60), TimeSpan.FromMilliseconds(uint.MaxValue), TimeSpan.MaxValue];

    [Theory]
    [MemberData(nameof(NegativeTimeouts))]
    public async Task A_negative_time_out_is_refused_and_the_writer_lock_stays_usable(TimeSpan timeout)
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        foreach (bool isHeld in (bool[])[true, false])
        {
            WriteTransaction held = isHeld ? environment.BeginWrite() : default;
            Func<Task> beginAsync = async () => await environment.BeginWriteAsync(timeout, CancellationToken.None);
            await beginAsync.Should().ThrowAsync<ArgumentOutOfRangeException>();
            ((Action)(() => environment.BeginWrite(timeout))).Should().Throw<ArgumentOutOfRangeException>();
            ((Action)(() => environment.TryBeginWrite(timeout, out _))).Should().Throw<ArgumentOutOfRangeException>();
            held.Dispose();
            environment.TryBeginWrite(Long, out WriteTransaction next).Should().BeTrue();
            next.Dispose();
        }
    }

    [Theory]
    [MemberData(nameof(LongTimeouts))]
    public async Task Any_long_time_out_waits(TimeSpan timeout)
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory(new StorageOptions { DisposeTimeout = timeout });
        WriteTransaction held = environment.BeginWrite();
        Task<WriteTransaction> first = environment.BeginWriteAsync(timeout, CancellationToken.None).AsTask();
        Task<WriteTransaction> second = Task.Run(() => environment.BeginWrite(timeout));
        first.IsCompleted.Should().BeFalse();
        held.Dispose();
        (await first.WaitAsync(Long)).Dispose();
        (await second.WaitAsync(Long)).Dispose();
    }

    /// <summary>
    /// Two threads end the same transaction. Writers that use theirs as they should lose nothing and never see an error.
    /// </summary>
    [Fact]
    public async Task A_transaction_ended_by_two_threads_at_once_harms_no_other_one()
    {
        // A meeting of two threads takes microseconds on idle processors, and milliseconds under Wine or beside other work.
        int rounds = 12_000;
        long begun = Stopwatch.GetTimestamp();
        StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Sample.Put(environment, 0, 2);
        bool stop = false;
        Task<long>[] honest = [.. Enumerable.Range(0, 2).Select(writer => Task.Run(() =>
        {
            long mine = 0;
            while (!Volatile.Read(ref stop))
            {
                using WriteTransaction transaction = environment.BeginWrite();
                Tree tree = transaction.OpenTree("honest");
                long before = tree.TryGet(Sample.Key(writer), out ReadOnlySpan<byte> value) ? BitConverter.ToInt64(value) : 0;
                before.Should().Be(mine, "what this writer has committed is there");
                tree.Put(Sample.Key(writer), BitConverter.GetBytes(++mine));
                transaction.Commit(CommitMode.Lazy);
            }

            return mine;
        }))];
        using Barrier barrier = new(2);
        WriteTransaction shared = default;
        Task other = Task.Run(() =>
        {
            try
            {
                for (int round = 0; round < rounds; round++)
                {
                    barrier.SignalAndWait();
                    EndOrUse(shared, round);
                    barrier.SignalAndWait();
                }
            }
            finally
            {
                // So that an error here does not leave the other thread waiting.
                barrier.RemoveParticipant();
            }
        });
        for (int round = 0; round < rounds; round++)
        {
            shared = environment.BeginWrite();
            shared.OpenTree("shared").Put(Sample.Key(round % 100), "x"u8);
            barrier.SignalAndWait();
            Thread.SpinWait(round % 64);
            Attempt(shared, static one => one.Commit(CommitMode.Lazy));
            rounds = Stopwatch.GetElapsedTime(begun) < LongestRace ? rounds : round + 1;
            barrier.SignalAndWait();
            shared.Dispose();
        }

        await other.WaitAsync(Long);
        Volatile.Write(ref stop, true);
        long[] committed = await Task.WhenAll(honest).WaitAsync(Long);
        using (ReadTransaction read = environment.BeginRead())
        {
            for (int writer = 0; writer < committed.Length; writer++)
            {
                BitConverter.ToInt64(read.OpenTree("honest").Get(Sample.Key(writer))).Should().Be(committed[writer]);
            }
        }

        environment.Check().Findings.Should().BeEmpty();
        ((Action)environment.Dispose).Should().NotThrow("no transaction is open any more");
    }

    [Fact]
    public void A_refused_action_is_not_kept_alive_by_its_token()
    {
        const int Calls = 50;
        using TemporaryFolder folder = new();
        using (StorageEnvironment writable = StorageEnvironment.Open(folder.Path))
        {
            Sample.Put(writable, 0, 1);
        }

        using CancellationTokenSource source = new();
        using StorageEnvironment environment = StorageEnvironment.Open(folder.Path, new StorageOptions { ReadOnly = true });
        List<WeakReference> states = [.. Enumerable.Range(0, Calls).Select(_ => Refuse(environment, source.Token))];
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
        states.Count(static state => state.IsAlive).Should().BeLessThan(2);
        source.Cancel();
    }

    [Fact]
    public void A_done_action_is_not_kept_alive_by_its_token_though_nobody_awaits_it()
    {
        const int Calls = 50;
        using CancellationTokenSource source = new();
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        List<WeakReference> states = [.. Enumerable.Range(0, Calls).Select(_ => Forget(environment, source.Token))];
        SpinWait.SpinUntil(() => Visible(environment) == Calls, Long).Should().BeTrue();
        environment.Flush();
        SpinWait.SpinUntil(
            () =>
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                return states.Count(static state => state.IsAlive) < 2;
            },
            TimeSpan.FromSeconds(10)).Should().BeTrue();
        source.Cancel();
    }

    [Fact]
    public async Task A_transaction_begun_inside_another_on_the_same_thread_is_refused_when_it_would_wait_for_ever()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        await OnThread(() =>
        {
            using WriteTransaction outer = environment.BeginWrite();
            outer.OpenTree(Sample.Tree).Put(Sample.Key(0), Sample.Value(20, 0));
            environment.TryBeginWrite(TimeSpan.Zero, out _).Should().BeFalse();
            ((Action)(() => environment.BeginWrite(TimeSpan.FromMilliseconds(5)))).Should().Throw<TimeoutException>();
            ((Action)(() => environment.BeginWrite())).Should().Throw<InvalidOperationException>()
                .WithMessage("*pass that transaction on*");
            outer.Commit();
            environment.BeginWrite().Dispose();
        });
        Sample.Expect(environment, 1);
    }

    [Fact]
    public async Task A_transaction_begun_inside_an_action_is_refused_at_once()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        ValueTask<WriteTransaction> later = default;
        await environment.WriteAsync(tx =>
        {
            ((Action)(() => environment.BeginWrite())).Should().Throw<InvalidOperationException>()
                .WithMessage("*the action was given*");
            environment.TryBeginWrite(TimeSpan.Zero, out _).Should().BeFalse();
            later = environment.BeginWriteAsync();
            tx.OpenTree(Sample.Tree).Put(Sample.Key(0), Sample.Value(20, 0));
        }).AsTask().WaitAsync(Long);
        (await later.AsTask().WaitAsync(Long)).Dispose();
        Sample.Expect(environment, 1);
    }

    /// <summary>
    /// Transactions are not bound to threads: the thread that began one may wait for the one that ends it, as long as that takes.
    /// </summary>
    [Fact]
    public async Task A_transaction_that_was_handed_to_another_thread_is_waited_for_by_the_one_that_began_it()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        await OnThread(() =>
        {
            WriteTransaction handed = environment.BeginWrite();
            Task user = OnThread(() =>
            {
                for (int i = 0; i < 40; i++)
                {
                    Thread.Sleep(50);
                    handed.OpenTree(Sample.Tree).Put(Sample.Key(i), Sample.Value(20, i));
                }

                handed.Commit();
            });
            using WriteTransaction next = environment.BeginWrite();
            next.TransactionId.Should().Be(2);
            user.Wait(Long);
        });
        Sample.Expect(environment, 40);
    }

    private static Task OnThread(Action run) => Task.Factory.StartNew(
        run, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).WaitAsync(Long);

    /// <summary>What the second thread does: it ends the transaction, or is about to use it when the first one ends it.</summary>
    private static void EndOrUse(WriteTransaction shared, int round)
    {
        if (round % 3 == 2)
        {
            Attempt(shared, static one => one.OpenTree("shared").Put(Sample.Key(1), "y"u8));
        }
        else
        {
            Attempt(shared, static one => one.Dispose());
        }
    }

    private static void Attempt(WriteTransaction transaction, Action<WriteTransaction> use)
    {
        try
        {
            use(transaction);
        }
        catch (InvalidOperationException)
        {
            // In use on the other thread, or ended there (ObjectDisposedException is one of these).
        }
    }

    private static long Visible(StorageEnvironment environment)
    {
        using ReadTransaction read = environment.BeginRead();
        return read.TryOpenTree(Sample.Tree, out ReadTree tree) ? tree.Count : 0;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Refuse(StorageEnvironment environment, CancellationToken token)
    {
        byte[] state = new byte[100];
        ((Action)(() => _ = environment.WriteAsync(static (_, _) => { }, state, token))).Should().Throw<StorageReadOnlyException>();
        return new WeakReference(state);
    }

    /// <summary>Like a caller that starts writes and never looks after them.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Forget(StorageEnvironment environment, CancellationToken token)
    {
        byte[] state = Guid.NewGuid().ToByteArray();
        _ = environment.WriteAsync(static (tx, key) => tx.OpenTree(Sample.Tree).Put(key, "x"u8), state, token);
        return new WeakReference(state);
    }
}

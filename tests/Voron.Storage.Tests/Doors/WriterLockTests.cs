using System.Runtime.CompilerServices;
using FluentAssertions;
using Voron.Storage.Tests.Guards;
using Voron.Storage.Threads;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>
/// The line before the writer lock: threads and asynchronous callers, time-outs, cancellation, and transactions that are lost.
/// </summary>
public sealed class WriterLockTests
{
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task Asynchronous_callers_get_it_in_the_order_of_their_coming()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        WriteTransaction first = environment.BeginWrite();
        Task<long>[] waiting = [.. Enumerable.Range(0, 20).Select(_ => BeginAndEnd(environment).AsTask())];
        waiting.Should().OnlyContain(task => !task.IsCompleted);
        first.OpenTree("t");
        first.Commit();
        (await Task.WhenAll(waiting).WaitAsync(Long)).Should().Equal(Enumerable.Range(2, 20).Select(i => (long)i));
    }

    [Fact]
    public async Task A_thread_that_waits_is_not_passed_over_for_ever()
    {
        WriterLock writerLock = new();
        writerLock.TryEnter(Long).Should().BeTrue();
        bool stop = false;
        Task waiting = Task.Factory.StartNew(
            () =>
            {
                writerLock.TryEnter(Timeout.InfiniteTimeSpan);
                Volatile.Write(ref stop, true);
                writerLock.Exit();
            },
            TestContext.Current.CancellationToken,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        SpinWait.SpinUntil(() => writerLock.Waits > 0, Long).Should().BeTrue();
        long entered = 0;
        while (!Volatile.Read(ref stop) && entered < 50_000_000)
        {
            // Comes back at once each time, as nobody who has to wake up could.
            writerLock.Exit();
            writerLock.TryEnter(Timeout.InfiniteTimeSpan);
            entered++;
        }

        writerLock.Exit();
        await waiting.WaitAsync(Long);
        stop.Should().BeTrue();
    }

    [Fact]
    public async Task Waiting_ends_with_a_time_out_or_a_cancellation_and_the_line_goes_on()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        WriteTransaction first = environment.BeginWrite();
        using CancellationTokenSource cancel = new();
        Task<WriteTransaction> cancelled = environment.BeginWriteAsync(cancel.Token).AsTask();
        Task<WriteTransaction> late = environment.BeginWriteAsync(TimeSpan.FromMilliseconds(20), CancellationToken.None).AsTask();
        Task<long> patient = BeginAndEnd(environment).AsTask();
        await ((Func<Task>)(() => late)).Should().ThrowAsync<TimeoutException>();
        await cancel.CancelAsync();
        await ((Func<Task>)(() => cancelled)).Should().ThrowAsync<OperationCanceledException>();
        Func<Task> already = async () => await environment.BeginWriteAsync(new CancellationToken(canceled: true));
        await already.Should().ThrowAsync<OperationCanceledException>();
        Func<Task> atOnce = async () => await environment.BeginWriteAsync(TimeSpan.Zero, CancellationToken.None);
        await atOnce.Should().ThrowAsync<TimeoutException>();
        patient.IsCompleted.Should().BeFalse();
        first.Dispose();
        (await patient.WaitAsync(Long)).Should().Be(1);
        environment.GetReport().WriterWaits.Should().BeGreaterThanOrEqualTo(3);
    }

    [Fact]
    public async Task Threads_and_tasks_exclude_each_other()
    {
        const int Each = 300;
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        int inside = 0;
        int given = 0;
        Task[] all = [.. Enumerable.Range(0, 8).Select(kind => Task.Run(async () =>
        {
            for (int i = 0; i < Each; i++)
            {
                WriteTransaction transaction = default;
                try
                {
                    TimeSpan timeout = i % 10 == 9 ? TimeSpan.FromTicks(i * 10) : Timeout.InfiniteTimeSpan;
                    transaction = kind % 2 == 0
                        ? environment.BeginWrite(timeout)
                        : await environment.BeginWriteAsync(timeout, CancellationToken.None);
                }
                catch (TimeoutException)
                {
                    Interlocked.Increment(ref given);
                    continue;
                }

                Interlocked.Increment(ref inside).Should().Be(1);
                transaction.OpenTree("t").Put(Sample.Key((kind * Each) + i), "v"u8);
                Interlocked.Decrement(ref inside);
                transaction.Commit(CommitMode.Lazy);
            }
        }))];
        await Task.WhenAll(all).WaitAsync(Long);
        using ReadTransaction read = environment.BeginRead();
        read.OpenTree("t").Count.Should().Be((8 * Each) - given);
    }

    [Fact]
    public async Task Whoever_waits_while_the_environment_closes_is_told()
    {
        StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        WriteTransaction first = environment.BeginWrite();
        Task<WriteTransaction>[] waiting = [.. Enumerable.Range(0, 3).Select(_ => environment.BeginWriteAsync().AsTask())];
        Task disposing = Task.Run(environment.Dispose);
        first.Dispose();
        foreach (Task<WriteTransaction> one in waiting)
        {
            Exception? error = await Record.ExceptionAsync(async () => (await one.WaitAsync(Long)).Dispose());
            error.Should().Match(e => e == null || e is ObjectDisposedException);
        }

        await disposing.WaitAsync(Long);
        await ((Func<Task>)(async () => await environment.BeginWriteAsync())).Should().ThrowAsync<ObjectDisposedException>();
    }

    [Fact]
    public void A_transaction_that_everybody_has_lost_is_rolled_back_and_reported()
    {
        List<StorageEvent> events = [];
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory(new StorageOptions { OnEvent = events.Add });
        Sample.Put(environment, 0, 3);
        for (int round = 0; round < 3; round++)
        {
            Lose(environment);
            BeginAfterCollections(environment);
        }

        events.Count(happened => happened.Kind == StorageEventKind.TransactionLeaked).Should().Be(3);
        events[^1].Message.Should().Contain("transaction 2").And.Contain("rolled back");
        Sample.Expect(environment, 3);
        Sample.Put(environment, 3, 4);
        Sample.Expect(environment, 4);
    }

    /// <summary>Its memory is gone; a roll-back would end the process.</summary>
    [Fact]
    [LeavesBehind("0 files, 0 views of files, 0 pieces of native memory, 1 snapshots, 0 bytes of page blocks")]
    public void A_lost_transaction_of_an_environment_that_went_without_it_is_left_alone()
    {
        List<StorageEvent> events = [];
        StorageEnvironment environment = StorageEnvironment.OpenInMemory(new StorageOptions { OnEvent = events.Add });
        Sample.Put(environment, 0, 3);
        LoseAndAbandon(environment);
        environment.Dispose();
        for (int i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        events.Should().NotContain(happened => happened.Kind == StorageEventKind.TransactionLeaked);
    }

    [Fact]
    public void Ending_transactions_as_one_should_allocates_nothing()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Allocations.Least(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                environment.BeginWrite().Dispose();
            }
        }).Should().Be(0);
    }

    /// <summary>Nobody finalizes the transaction before the environment is gone.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void LoseAndAbandon(StorageEnvironment environment)
    {
        WriteTransaction lost = environment.BeginWrite();
        lost.OpenTree(Sample.Tree).Put(Sample.Key(77), "lost"u8);
        environment.Database.Abandon();
        GC.KeepAlive(lost);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Lose(StorageEnvironment environment) =>
        environment.BeginWrite().OpenTree(Sample.Tree).Put(Sample.Key(77), "lost"u8);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void BeginAfterCollections(StorageEnvironment environment)
    {
        WriteTransaction next;
        while (!environment.TryBeginWrite(TimeSpan.Zero, out next))
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        next.Dispose();
    }

    private static async ValueTask<long> BeginAndEnd(StorageEnvironment environment)
    {
        await using WriteTransaction transaction = await environment.BeginWriteAsync();
        long id = transaction.TransactionId;
        transaction.OpenTree("t" + id);
        transaction.Commit(CommitMode.Lazy);
        return id;
    }
}

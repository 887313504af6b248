using System.Runtime.InteropServices;
using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>One writer, limits, options, and how an environment ends.</summary>
public class TransactionRuleTests
{
    [Fact]
    public async Task A_second_writer_waits_and_can_give_up()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        WriteTransaction first = environment.BeginWrite();
        Action begin = () => environment.BeginWrite(TimeSpan.FromMilliseconds(20));
        begin.Should().Throw<TimeoutException>().Which.Message.Should().Contain("20 ms").And.Contain("end that one");
        environment.TryBeginWrite(TimeSpan.Zero, out WriteTransaction none).Should().BeFalse();
        none.Should().Be(default(WriteTransaction));
        Task<long> waiting = Task.Run(() =>
        {
            using WriteTransaction second = environment.BeginWrite();
            return second.TransactionId;
        });
        first.OpenTree("t");
        first.Commit();
        (await waiting.WaitAsync(TimeSpan.FromSeconds(30))).Should().Be(2);
        environment.TryBeginWrite(TimeSpan.Zero, out WriteTransaction third).Should().BeTrue();
        third.Dispose();
        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void Limits_are_named_and_nothing_changes()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory(new StorageOptions { PageSize = 4096 });
        StorageLimits limits = environment.Limits;
        limits.Should().Be(new StorageLimits(1024, 255, 0x7F80_0000));
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("t");
        tree.Put(new byte[limits.MaxKeyBytes], "v"u8);
        byte[] longKey = new byte[limits.MaxKeyBytes + 1];
        Action[] changes =
        [
            () => tree.Put(longKey, "v"u8), () => tree.TryAdd(longKey, "v"u8), () => tree.Delete(longKey), () => tree.Increment(longKey),
            () => tree.TryReplace(longKey, "v"u8, "w"u8), () => tree.TryDelete(longKey, "v"u8),
        ];
        foreach (Action change in changes)
        {
            KeyTooLongException error = change.Should().Throw<KeyTooLongException>().Which;
            (error.Length, error.Limit).Should().Be((1025, 1024));
            error.Message.Should().Contain("1025").And.Contain("1024").And.Contain("Limits");
        }

        foreach (Action change in ChangesWithTooLongValue(tree, 0x7F80_0001))
        {
            ValueTooLongException error = change.Should().Throw<ValueTooLongException>().Which;
            (error.Length, error.Limit).Should().Be((0x7F80_0001, 0x7F80_0000));
        }

        tree.Contains(longKey).Should().BeFalse();
        Sample.Texts(tree.From(longKey)).Should().BeEmpty();
        foreach (string name in (string[])[string.Empty, new string('n', 256), new string('ä', 128)])
        {
            ((Action)(() => transaction.OpenTree(name))).Should().Throw<ArgumentException>().Which.Message.Should().Contain("255");
            ((Action)(() => transaction.TryOpenTree(name, out _))).Should().Throw<ArgumentException>();
            ((Action)(() => transaction.DropTree(name))).Should().Throw<ArgumentException>();
            ((Action)(() => transaction.OpenTree(Sample.Bytes(name)))).Should().Throw<ArgumentException>();
        }

        foreach (string name in (string[])["\ud800", "a\udc00", "\ud801b"])
        {
            Action[] uses =
            [
                () => transaction.OpenTree(name), () => transaction.TryOpenTree(name, out _), () => transaction.DropTree(name),
                () => transaction.RenameTree("t", name), () => transaction.RenameTree(name, "u"),
            ];
            foreach (Action use in uses)
            {
                use.Should().Throw<ArgumentException>().Which.Message.Should().Contain("surrogate");
            }
        }

        ((Action)(() => transaction.OpenTree((string)null!))).Should().Throw<ArgumentNullException>();
        ((Action)(() => transaction.Commit((CommitMode)9))).Should().Throw<ArgumentOutOfRangeException>();
        tree.Count.Should().Be(1);
        transaction.OpenTree(new string('n', 255)).Put("k"u8, "v"u8);
        transaction.Commit();
        environment.Check().Findings.Should().BeEmpty();
    }

    /// <summary>The span is longer than what is behind it: the length must be refused before a byte is read.</summary>
    private static Action[] ChangesWithTooLongValue(Tree tree, int valueBytes)
    {
        static ReadOnlySpan<byte> Value(int bytes) => MemoryMarshal.CreateReadOnlySpan(ref (new byte[1])[0], bytes);
        return
        [
            () => tree.Put("k"u8, Value(valueBytes)),
            () => tree.TryAdd("k"u8, Value(valueBytes)),
            () => tree.Append("k"u8, Value(valueBytes)),
            () => tree.Reserve("k"u8, valueBytes),
            () => tree.Put("k"u8, valueBytes, 0, static (_, _) => { }),
            () =>
            {
                using WriteCursor cursor = tree.OpenCursor();
                cursor.Put("k"u8, Value(valueBytes));
            },
            () =>
            {
                // The key of a row with a prefix is in the cursor's buffer, so this value begins there.
                using WriteCursor cursor = tree.OpenCursor();
                cursor.MoveLast();
                cursor.Put("k"u8, MemoryMarshal.CreateReadOnlySpan(ref MemoryMarshal.GetReference(cursor.Key), valueBytes));
            },
        ];
    }

    [Fact]
    public void Options_are_checked_at_the_door()
    {
        StorageOptions[] wrong =
        [
            new() { PageSize = 0 }, new() { PageSize = 5000 }, new() { PageSize = 131072 }, new() { PageSize = -4096 },
            new() { JournalSoftLimitBytes = 1 }, new() { JournalHardLimitBytes = 1 }, new() { MaxDirtyBytes = 0 },
            new() { DisposeTimeout = TimeSpan.FromSeconds(-3) }, new() { TimeProvider = null! },
        ];
        foreach (StorageOptions options in wrong)
        {
            ((Action)(() => StorageEnvironment.OpenInMemory(options))).Should().Throw<ArgumentException>();
            ((Action)(() => StorageEnvironment.Open("never-made", options))).Should().Throw<ArgumentException>();
        }

        Directory.Exists("never-made").Should().BeFalse();
    }

    [Fact]
    public void Changing_a_tree_during_its_enumeration_is_refused()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Sample.Put(environment, 0, 100);
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree(Sample.Tree);
        Action[] changes =
        [
            () => tree.Put("new"u8, "v"u8), () => tree.Delete(Sample.Key(50)), () => tree.TryAdd("other"u8, "v"u8),
            () => tree.Put(Sample.Key(3), "replaced"u8),
        ];
        foreach (Action change in changes)
        {
            Action enumerate = () =>
            {
                foreach ((_, _) in tree)
                {
                    change();
                }
            };
            enumerate.Should().Throw<InvalidOperationException>().Which.Message.Should().Contain("changed during");
        }

        foreach ((_, _) in tree)
        {
            tree.TryAdd(Sample.Key(3), "exists"u8).Should().BeFalse("nothing changes by that");
            tree.Delete("missing"u8).Should().BeFalse();
            transaction.OpenTree("another").Put("k"u8, "v"u8);
        }

        tree.Count.Should().Be(101);
        transaction.Commit();
        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void A_dropped_tree_answers_with_what_happened()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        Sample.Put(environment, 0, 1000);
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree(Sample.Tree);
        ReadTree reading = tree;
        transaction.DropTree(Sample.Tree).Should().BeTrue();
        transaction.DropTree(Sample.Tree).Should().BeFalse();
        Action[] uses =
        [
            () => tree.Put("k"u8, "v"u8), () => tree.Delete("k"u8), () => _ = tree.Count, () => tree.Get("k"u8), () => _ = reading.Count,
            () => reading.Get("k"u8), () => Sample.Texts(reading.Reverse()), () => Sample.Texts(tree.Prefix("k"u8)),
        ];
        foreach (Action use in uses)
        {
            use.Should().Throw<InvalidOperationException>().Which.Message.Should().Contain("was dropped");
        }

        transaction.OpenTree(Sample.Tree).Count.Should().Be(0);
        transaction.Commit();
        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void Two_threads_on_one_write_transaction_are_refused()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        int refused = 0;
        for (int round = 0; round < 200 && refused == 0; round++)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            Tree tree = transaction.OpenTree("t");
            Parallel.For(0, 4, worker =>
            {
                for (int i = 0; i < 500; i++)
                {
                    try
                    {
                        tree.Put(Sample.Key((worker * 1000) + i), new byte[100]);
                    }
                    catch (InvalidOperationException error)
                    {
                        error.Message.Should().Contain("another thread");
                        Interlocked.Increment(ref refused);
                    }
                }
            });
            transaction.Commit();
        }

        refused.Should().BeGreaterThan(0);
        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void Dispose_with_open_transactions_refuses_and_everything_goes_on()
    {
        using TemporaryFolder folder = new();
        StorageOptions options = new() { DisposeTimeout = TimeSpan.FromMilliseconds(30) };
        StorageEnvironment environment = StorageEnvironment.Open(folder.Path, options);
        Sample.Put(environment, 0, 10);
        ReadTransaction reader = environment.BeginRead();
        Action dispose = environment.Dispose;
        dispose.Should().Throw<StorageBusyException>().Which.Message.Should().Contain("1 read").And.Contain("end them and dispose again");
        reader.TryOpenTree(Sample.Tree, out ReadTree tree).Should().BeTrue();
        tree.Count.Should().Be(10);
        WriteTransaction writer = environment.BeginWrite();
        dispose.Should().Throw<StorageBusyException>().Which.Message.Should().Contain("a write transaction");
        writer.OpenTree(Sample.Tree).Put(Sample.Key(10), Sample.Value(20, 10));
        writer.Commit();
        dispose.Should().Throw<StorageBusyException>();
        environment.Checkpoint();
        Sample.Expect(environment, 11);
        reader.Dispose();
        environment.Dispose();
        environment.Dispose();
        using StorageEnvironment again = StorageEnvironment.Open(folder.Path);
        Sample.Expect(again, 11);
    }

    [Fact]
    public async Task Dispose_waits_for_open_transactions()
    {
        StorageEnvironment environment = StorageEnvironment.OpenInMemory(new StorageOptions { DisposeTimeout = Timeout.InfiniteTimeSpan });
        ReadTransaction reader = environment.BeginRead();
        Task disposing = Task.Run(environment.Dispose);
        SpinWait.SpinUntil(() => IsClosing(environment), TimeSpan.FromSeconds(30)).Should().BeTrue();
        Task other = Task.Run(environment.Dispose);
        disposing.IsCompleted.Should().BeFalse("a reader is open and the time-out has no end");
        reader.Dispose();
        await Task.WhenAll(disposing, other).WaitAsync(TimeSpan.FromSeconds(30));
    }

    [Fact]
    public async Task A_writer_that_waits_while_the_environment_closes_is_told()
    {
        StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        WriteTransaction writer = environment.BeginWrite();
        Task disposing = Task.Run(environment.Dispose);
        SpinWait.SpinUntil(() => IsClosing(environment), TimeSpan.FromSeconds(30)).Should().BeTrue();
        writer.Dispose();
        await disposing.WaitAsync(TimeSpan.FromSeconds(30));
        ((Action)(() => environment.BeginWrite())).Should().Throw<ObjectDisposedException>();

        // The same from behind: these wait for the lock when the closing begins, or come too late; none waits for ever.
        environment = StorageEnvironment.OpenInMemory();
        writer = environment.BeginWrite();
        Task[] waiting = [.. Enumerable.Range(0, 4).Select(_ => Task.Factory.StartNew(
            () => environment.BeginWrite().Dispose(), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default))];
        disposing = Task.Run(environment.Dispose);
        SpinWait.SpinUntil(() => IsClosing(environment), TimeSpan.FromSeconds(30)).Should().BeTrue();
        writer.Dispose();
        await disposing.WaitAsync(TimeSpan.FromSeconds(30));
        foreach (Task one in waiting)
        {
            Exception? error = await Record.ExceptionAsync(() => one.WaitAsync(TimeSpan.FromSeconds(30)));
            error.Should().Match(e => e == null || e is ObjectDisposedException);
        }
    }

    private static bool IsClosing(StorageEnvironment environment)
    {
        try
        {
            environment.GetReport();
            return false;
        }
        catch (ObjectDisposedException)
        {
            return true;
        }
    }
}

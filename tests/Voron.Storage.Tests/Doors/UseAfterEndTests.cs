using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>
/// Every door of an ended transaction or environment, and of a handle that never was one, answers with ObjectDisposedException.
/// </summary>
public sealed class UseAfterEndTests : IDisposable
{
    private readonly StorageEnvironment _environment = StorageEnvironment.OpenInMemory();
    private bool _isDisposed;

    public UseAfterEndTests() => Sample.Put(_environment, 0, 3);

    public void Dispose()
    {
        if (!_isDisposed)
        {
            _isDisposed = true;
            _environment.Check().Findings.Should().BeEmpty();
            _environment.Dispose();
        }
    }

    [Fact]
    public void A_read_transaction()
    {
        ReadTransaction transaction = _environment.BeginRead();
        transaction.TryOpenTree(Sample.Tree, out ReadTree tree).Should().BeTrue();
        transaction.Dispose();
        transaction.Dispose();
        ExpectEnded(transaction);
        ExpectEnded(tree);

        // The slot is somebody else's now; the stale handle neither reads nor ends it.
        using ReadTransaction next = _environment.BeginRead();
        transaction.Dispose();
        ExpectEnded(transaction);
        next.TryOpenTree(Sample.Tree, out ReadTree alive).Should().BeTrue();
        alive.Count.Should().Be(3);
    }

    [Fact]
    public void An_enumeration_of_an_ended_read_transaction()
    {
        ReadTransaction transaction = _environment.BeginRead();
        transaction.TryOpenTree(Sample.Tree, out ReadTree tree).Should().BeTrue();
        TreeEnumerator enumerator = tree.GetEnumerator();
        enumerator.MoveNext().Should().BeTrue();
        transaction.Dispose();
        Exception? thrown = null;
        try
        {
            enumerator.MoveNext();
        }
        catch (ObjectDisposedException error)
        {
            thrown = error;
        }

        thrown.Should().NotBeNull();
        enumerator.Dispose();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_write_transaction(bool commit)
    {
        WriteTransaction transaction = _environment.BeginWrite();
        Tree tree = transaction.OpenTree("t");
        ReadTree reading = tree;
        if (commit)
        {
            transaction.Commit();
        }
        else
        {
            transaction.Dispose();
        }

        ExpectEnded(transaction);
        ExpectEnded(tree);
        ExpectEnded(reading);
        transaction.Dispose();

        using WriteTransaction next = _environment.BeginWrite();
        ExpectEnded(transaction);
        ExpectEnded(tree);
        transaction.Dispose();
        next.OpenTree("t").Put("k"u8, "v"u8);
        next.Commit();
    }

    [Fact]
    public void Handles_that_were_never_given_out()
    {
        ExpectEnded(default(ReadTransaction));
        ExpectEnded(default(ReadTree));
        ExpectEnded(default(WriteTransaction));
        ExpectEnded(default(Tree));
        default(ReadTransaction).Dispose();
        default(WriteTransaction).Dispose();
        Exception? thrown = null;
        try
        {
            default(TreeEnumerator).MoveNext();
        }
        catch (ObjectDisposedException error)
        {
            thrown = error;
        }

        thrown.Should().NotBeNull();
        ExpectEnded(() => Sample.Texts(default));
    }

    [Fact]
    public void An_environment()
    {
        StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        environment.Dispose();
        environment.Dispose();
        ExpectEnded(() => environment.BeginRead());
        ExpectEnded(() => environment.BeginWrite());
        ExpectEnded(() => environment.BeginWrite(TimeSpan.Zero));
        ExpectEnded(() => environment.TryBeginWrite(TimeSpan.Zero, out _));
        ExpectEnded(() => environment.Checkpoint());
        ExpectEnded(() => environment.Check());
        ExpectEnded(() => environment.GetReport());
        environment.Limits.MaxKeyBytes.Should().Be(2048);
    }

    private static void ExpectEnded(ReadTransaction transaction)
    {
        ExpectEnded(() => transaction.TransactionId);
        ExpectEnded(() => transaction.TreeNames);
        ExpectEnded(() => transaction.TreeNameBytes);
        ExpectEnded(() => transaction.TryOpenTree(Sample.Tree, out _));
        ExpectEnded(() => transaction.TryOpenTree("sample"u8, out _));
    }

    private static void ExpectEnded(ReadTree tree)
    {
        ExpectEnded(() => tree.Count);
        ExpectEnded(() => tree.TryGet("k"u8, out _));
        ExpectEnded(() => tree.Get("k"u8));
        ExpectEnded(() => tree.Contains("k"u8));
        ExpectEnded(() => Sample.Texts(tree.Range("a"u8, "b"u8)));
        ExpectEnded(() => Sample.Texts(tree.Prefix("a"u8)));
        ExpectEnded(() => Sample.Texts(tree.From("a"u8)));
        ExpectEnded(() => Sample.Texts(tree.Reverse()));
        ExpectEnded(() => tree.GetEnumerator());
    }

    private static void ExpectEnded(WriteTransaction transaction)
    {
        ExpectEnded(() => transaction.TransactionId);
        ExpectEnded(() => transaction.OpenTree("t"));
        ExpectEnded(() => transaction.OpenTree("t"u8));
        ExpectEnded(() => transaction.TryOpenTree("t", out _));
        ExpectEnded(() => transaction.TryOpenTree("t"u8, out _));
        ExpectEnded(() => transaction.DropTree("t"));
        ExpectEnded(() => transaction.DropTree("t"u8));
        ExpectEnded(() => transaction.Commit());
        ExpectEnded(() => transaction.Commit(CommitMode.Buffered));
    }

    private static void ExpectEnded(Tree tree)
    {
        ExpectEnded(() => tree.Count);
        ExpectEnded(() => tree.Put("k"u8, "v"u8));
        ExpectEnded(() => tree.TryAdd("k"u8, "v"u8));
        ExpectEnded(() => tree.Delete("k"u8));
        ExpectEnded(() => tree.TryReplace("k"u8, "v"u8, "w"u8));
        ExpectEnded(() => tree.TryDelete("k"u8, "v"u8));
        ExpectEnded(() => tree.Increment("k"u8));
        ExpectEnded(() => tree.TryGet("k"u8, out _));
        ExpectEnded(() => tree.Get("k"u8));
        ExpectEnded(() => tree.Contains("k"u8));
        ExpectEnded(() => tree.AsReadTree());
        ExpectEnded(() => tree.GetEnumerator());
        ExpectEnded(() => Sample.Texts(tree.Range("a"u8, "b"u8)));
        ExpectEnded(() => Sample.Texts(tree.Prefix("a"u8)));
        ExpectEnded(() => Sample.Texts(tree.From("a"u8)));
        ExpectEnded(() => Sample.Texts(tree.Reverse()));
    }

    private static void ExpectEnded<T>(Func<T> door)
        where T : allows ref struct
    {
        Action action = () => door();
        action.Should().Throw<ObjectDisposedException>().Which.Message.Should().ContainAny("Begin a new one", "Open it again");
    }

    private static void ExpectEnded(Action door) =>
        door.Should().Throw<ObjectDisposedException>().Which.Message.Should().ContainAny("Begin a new one", "Open it again");
}

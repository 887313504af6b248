using System.Runtime.InteropServices;
using FluentAssertions;
using Voron.Storage.Commits;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Journal;
using Voron.Storage.Recovery;
using Voron.Storage.Tests.Commits;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>
/// Records whose checksum is true and whose operations no transaction could have made: recovery refuses them and changes nothing.
/// </summary>
public sealed class ForgedRedoTests : IDisposable
{
    private static readonly Dictionary<string, Action<RedoWriter>> Forgeries = new()
    {
        ["put into no tree"] = static redo => redo.Put("key"u8, "value"u8),
        ["delete in no tree"] = static redo => redo.Delete("key"u8),
        ["range of no tree"] = static redo => redo.DeleteRange("a"u8, "b"u8),
        ["runs of no tree"] = static redo => redo.PutPlaced("key"u8, [new PlacedRun { FirstPage = new PageNumber(9), ValueBytes = 10 }]),
        ["unknown tree"] = static redo =>
        {
            redo.SelectTree("nobody"u8);
            redo.Put("key"u8, "value"u8);
        },
        ["drop of an unknown tree"] = static redo => redo.DropTree("nobody"u8),
        ["rename of an unknown tree"] = static redo => redo.RenameTree("nobody"u8, "somebody"u8),
        ["rename to a tree that is there"] = static redo => redo.RenameTree("sample"u8, "other"u8),
        ["name too long"] = static redo => redo.CreateTree(TreeKind.Ordered, new byte[5000]),
        ["unknown savepoint"] = static redo => redo.RollbackTo(0),
        ["release of none"] = static redo => redo.Release(3),
        ["key too long"] = static redo =>
        {
            redo.SelectTree("sample"u8);
            redo.Put(new byte[30_000], "value"u8);
        },
        ["run outside the file"] = static redo =>
        {
            redo.SelectTree("sample"u8);
            redo.PutPlaced("key"u8, [new PlacedRun { FirstPage = new PageNumber(1L << 40), ValueBytes = 100_000 }]);
        },
    };

    private readonly TemporaryFolder _folder = new();

    public static TheoryData<string> Names => [.. Forgeries.Keys];

    public void Dispose() => _folder.Dispose();

    [Theory]
    [MemberData(nameof(Names))]
    public void It_is_refused(string name)
    {
        Make();
        Append(Forgeries[name]);
        byte[] file = File.ReadAllBytes(Sample.Data(_folder));
        Action open = () => StorageEnvironment.Open(_folder.Path).Dispose();
        open.Should().Throw<StorageException>().Where(error => error is CorruptJournalException || error is StorageCorruptException)
            .Which.Message.Should().Contain("estore a backup");
        File.ReadAllBytes(Sample.Data(_folder)).Skip(HeaderSlot.SizeBytes).Should().Equal(file.Skip(HeaderSlot.SizeBytes));
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void A_salvage_goes_on_with_what_stands_before_it(string name)
    {
        Make();
        Append(Forgeries[name]);
        using TemporaryFolder target = new();
        StorageSalvage.Copy(_folder.Path, target.Path);
        using StorageEnvironment environment = StorageEnvironment.Open(target.Path);
        using ReadTransaction read = environment.BeginRead();
        string tree = name == "rename to a tree that is there" ? "other" : Sample.Tree;
        read.OpenTree(tree).Get(Sample.Key(19)).Should().Equal(Sample.Value(20, 19));
        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void What_a_transaction_could_have_made_is_replayed()
    {
        Make();
        Append(static redo =>
        {
            redo.SelectTree("sample"u8);
            redo.Put(Sample.Key(20), Sample.Value(20, 20));
        });
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path);
        Sample.Expect(environment, 21);
    }

    /// <summary>A killed database with two trees and nothing but its journal.</summary>
    private void Make()
    {
        StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, new StorageOptions
        {
            Engine = new() { Background = false },
        });
        Sample.Put(environment, 0, 20);
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.OpenTree("other").Put("key"u8, "value"u8);
            transaction.Commit();
        }

        environment.Database.Abandon();
    }

    /// <summary>Adds a transaction as the engine would have written it.</summary>
    private void Append(Action<RedoWriter> write)
    {
        RedoWriter redo = new();
        redo.Reset();
        write(redo);
        HeaderSlot slot = MemoryMarshal.Read<HeaderSlot>(File.ReadAllBytes(Sample.Data(_folder)));
        JournalFiles files = new(new NativeDisk(), Sample.Journal(_folder), new DatabaseId(slot.DatabaseIdLow, slot.DatabaseIdHigh));
        JournalStart start;
        using (CommitJournalReader reader = new(files, default))
        {
            start = JournalWorld.Read(reader, default).Start;
        }

        using CommitJournal journal = new(files, start, new FailStop(), new RecordingListener(), background: false);
        CommitGroupId ticket = journal.Seal(start.LastCommit.TransactionId.Next, RecordFlags.Commit, redo.Written, 0, 0);
        journal.Complete(ticket, onDevice: true);
    }
}

using FluentAssertions;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>What is replayed after a kill is one transaction to the pages; nobody can tell but by looking into them.</summary>
public sealed class ReplayTests : IDisposable
{
    private static readonly StorageOptions Still = new() { Engine = new() { Background = false, JournalledBytes = 0 } };
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void A_page_that_many_transactions_changed_is_made_once_and_belongs_to_the_last()
    {
        const int Transactions = 50;
        StorageEnvironment killed = StorageEnvironment.Open(_folder.Path, Still);
        for (int i = 0; i < Transactions; i++)
        {
            Sample.Put(killed, i, i + 1);
        }

        using (WriteTransaction other = killed.BeginWrite())
        {
            other.OpenTree("other").Put("key"u8, "value"u8);
            other.Commit();
        }

        killed.Database.Abandon();
        using (StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, Still))
        {
            environment.GetReport().LastTransactionId.Should().Be(Transactions + 1);
            Sample.Expect(environment, Transactions);
            environment.Checkpoint();
        }

        Leaves().Should().NotBeEmpty().And.OnlyContain(static id => id == $"{Transactions + 1}");
    }

    [Fact]
    public void Trees_that_come_and_go_by_the_hundred_are_what_they_were()
    {
        const int Transactions = 300;
        SortedDictionary<string, int> model = new(StringComparer.Ordinal);
        StorageEnvironment killed = StorageEnvironment.Open(_folder.Path, Still);
        Random random = new(1);
        for (int i = 0; i < Transactions; i++)
        {
            Change(killed, model, random, i);
        }

        killed.Database.Abandon();
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, Still);
        environment.Check().Findings.Should().BeEmpty();
        using ReadTransaction read = environment.BeginRead();
        read.TreeNames.Should().Equal(model.Keys);
        foreach ((string name, int last) in model)
        {
            ReadTree tree = read.OpenTree(name);
            tree.Count.Should().Be(2, name);
            tree.Get("a"u8).Should().Equal(Sample.Value(30, last), name);
            tree.Get("b"u8).Should().Equal(Sample.Key(last), name);
        }
    }

    /// <summary>
    /// Replay makes small puts some time after it has read them, but not after a large value has taken the pages they free.
    /// </summary>
    [Fact]
    public void A_large_value_in_the_pages_of_one_that_a_small_one_replaced_is_replayed()
    {
        const int Large = 100_000;
        StorageEnvironment killed = StorageEnvironment.Open(_folder.Path, Still);
        for (int i = 0; i < 10; i++)
        {
            Put(killed, 1, Large);
            Put(killed, 1, 20);
            Put(killed, 2, Large);
            Put(killed, 2, 20);
        }

        Put(killed, 2, Large);
        killed.Database.Abandon();
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, Still);
        environment.Check().Findings.Should().BeEmpty();
        using ReadTransaction read = environment.BeginRead();
        read.OpenTree(Sample.Tree).Get(Sample.Key(1)).Should().Equal(Sample.Value(20, 1));
        read.OpenTree(Sample.Tree).Get(Sample.Key(2)).Should().Equal(Sample.Value(Large, 2));
    }

    /// <summary>Savepoints are in the journal when notes left behind them; those of one transaction are none of the next.</summary>
    [Fact]
    public void Savepoints_of_one_transaction_are_gone_in_the_next()
    {
        StorageOptions options = new() { Engine = new() { Background = false, FragmentBytes = 4096 } };
        StorageEnvironment killed = StorageEnvironment.Open(_folder.Path, options);
        for (int i = 0; i < 3; i++)
        {
            using WriteTransaction transaction = killed.BeginWrite();
            Tree tree = transaction.OpenTree(Sample.Tree);
            tree.Put(Sample.Key(i), Sample.Value(20, i));
            Savepoint savepoint = transaction.CreateSavepoint();
            for (int taken = 100; taken < 200; taken++)
            {
                tree.Put(Sample.Key(taken), Sample.Value(200, taken));
            }

            transaction.RollbackTo(savepoint);
            transaction.Commit();
        }

        killed.Database.Abandon();
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, options);
        Sample.Expect(environment, 3);
    }

    /// <summary>
    /// The journal is read twice. Whatever a disk gives the second time, a transaction that the first time showed is not dropped in
    /// silence.
    /// </summary>
    [Fact]
    public void A_journal_that_ends_sooner_when_it_is_read_again_is_refused()
    {
        using WatchedDisk disk = new();
        StorageEnvironment killed = StorageEnvironment.Open("/db", new StorageOptions
        {
            Engine = new() { Disk = disk, Background = false },
        });
        for (int i = 0; i < 20; i++)
        {
            Sample.Put(killed, i, i + 1, valueBytes: 5000);
        }

        killed.Database.Abandon();
        int turns = TurnsBack(disk, at: 0);
        Action open = () => TurnsBack(disk, at: turns);
        open.Should().Throw<CorruptJournalException>().WithMessage("Read a second time*");
    }

    /// <summary>
    /// Opens to read, and clears the last chunk when reading turns back from it to another one for the given time. Returns how often that
    /// was; the last time is on the second way through.
    /// </summary>
    private static int TurnsBack(WatchedDisk disk, int at)
    {
        string last = LastChunk(disk);
        bool wasLast = false;
        int turns = 0;
        disk.ReadLimit = (path, bytes) =>
        {
            if (wasLast && path != last && path.EndsWith(".commit", StringComparison.Ordinal) && ++turns == at)
            {
                ClearRecords(disk, last);
            }

            wasLast = path == last;
            return bytes;
        };
        StorageEnvironment.Open("/db", new StorageOptions
        {
            Engine = new() { Disk = disk, Background = false },
            ReadOnly = true,
        }).Dispose();
        return turns;
    }

    private static void Put(StorageEnvironment environment, int key, int valueBytes) => Sample.Put(environment, key, key + 1, valueBytes);

    private static string LastChunk(WatchedDisk disk)
    {
        List<string> names = [];
        string journal = Path.Combine(Path.GetFullPath("/db"), "journal");
        disk.ListFiles(journal, names);
        return Path.Combine(journal, names.Where(static name => name.EndsWith(".commit", StringComparison.Ordinal)).Max()!);
    }

    private static void ClearRecords(WatchedDisk disk, string chunk)
    {
        disk.OpenFile(chunk, FileOpening.None, out IDiskFile? file);
        using (file)
        {
            file!.GetLength(out long bytes);
            file.Write(FormatConstants.BlockBytes, new byte[bytes - FormatConstants.BlockBytes]);
        }
    }

    /// <summary>
    /// Creates a tree, or writes to one, renames or drops another; now and then something is taken back before the commit.
    /// </summary>
    private static void Change(StorageEnvironment environment, SortedDictionary<string, int> model, Random random, int number)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        Put(transaction, model, model.Count > 0 && random.Next(3) == 0 ? Any(model, random) : $"tree {number}", number);
        Savepoint before = transaction.CreateSavepoint();
        transaction.OpenTree("taken back").Put("a"u8, "b"u8);
        transaction.RollbackTo(before);
        if (random.Next(4) == 0)
        {
            string old = Any(model, random);
            transaction.RenameTree(old, $"renamed {number}").Should().BeTrue();
            model[$"renamed {number}"] = model[old];
            model.Remove(old);
        }

        if (model.Count > 60)
        {
            string gone = Any(model, random);
            transaction.DropTree(gone).Should().BeTrue();
            model.Remove(gone);
        }

        transaction.Commit();
    }

    private static void Put(WriteTransaction transaction, SortedDictionary<string, int> model, string name, int number)
    {
        Tree tree = transaction.OpenTree(name);
        tree.Put("a"u8, Sample.Value(30, number));
        tree.Put("b"u8, Sample.Key(number));
        model[name] = number;
    }

    private static string Any(SortedDictionary<string, int> model, Random random) => model.Keys.ElementAt(random.Next(model.Count));

    /// <summary>The transaction that each leaf in the data file names.</summary>
    private List<string> Leaves()
    {
        List<string> ids = [];
        long pages = new FileInfo(Sample.Data(_folder)).Length / 8192;
        for (long number = 2; number < pages; number++)
        {
            PageReport page = StorageInspection.ReadPage(_folder.Path, number);
            if (page.Content == PageContent.Leaf)
            {
                ids.Add(page.Fields.Single(static field => field.Key == "TransactionId").Value);
            }
        }

        return ids;
    }
}

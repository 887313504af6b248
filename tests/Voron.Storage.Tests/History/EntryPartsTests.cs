using System.Buffers.Binary;
using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.History;
using Voron.Storage.Tests.Doors;
using Voron.Storage.Tests.Transfer;
using Voron.Storage.Transactions;
using Voron.Storage.Trees;
using Xunit;

namespace Voron.Storage.Tests.History;

/// <summary>Backup of a tree that is large enough for a second thread, which collects entries ahead of the one that writes them.</summary>
public sealed class EntryPartsTests : IDisposable
{
    private const int Entries = 120_000;
    private const int LongValueEach = 9_001;
    private const int PageBytes = 4096;
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    private string Source => Path.Combine(_folder.Path, "source");

    private string Target => Path.Combine(_folder.Path, "target");

    [Fact]
    public async Task All_entries_are_restored_with_long_values_between_them()
    {
        using StorageEnvironment source = Open();
        Fill(source, longValues: true);
        (byte[] full, _) = await Streams.FullAsync(source);
        await Streams.RestoreAsync(Target, null, full);
        using StorageEnvironment restored = StorageEnvironment.Open(Target);
        Dumps.Entries(restored).Should().Be(Dumps.Entries(source));
    }

    [Fact]
    public void The_parts_of_a_tree_follow_each_other()
    {
        using StorageEnvironment source = Open();
        Fill(source, longValues: false);
        using ReadTransaction read = source.BeginRead();
        TreeRecord tree = Record(source);
        using EntryParts parts = new(source.Database.Parts.Source, Snapshot(source), tree);
        int count = 0;
        long entries = 0;
        while (parts.Take() is { } part)
        {
            count++;
            if (!part.IsCollected)
            {
                part.Collect(source.Database.Parts.Source, Snapshot(source), tree.RootPage);
            }

            part.IsDone.Should().BeTrue("its redo is short enough");
            FirstKey(part).Should().Be(entries);
            entries += part.Entries;
        }

        entries.Should().Be(Entries);
        count.Should().BeGreaterThan(4, "it is divided");
    }

    [Fact]
    public void After_an_error_nothing_of_a_part_is_collected()
    {
        TreeRecord tree;
        PageNumber last;
        using (StorageEnvironment filled = Open())
        {
            Fill(filled, longValues: false);
            tree = Record(filled);
            last = LastLeaf(filled, tree);
        }

        Damage(last);
        using StorageEnvironment source = Open();
        EntryPart part = new();
        part.Set(null, null);
        Action collect = () =>
        {
            for (; !part.IsDone; part.Written())
            {
                part.Collect(source.Database.Parts.Source, Snapshot(source), tree.RootPage);
            }
        };
        collect.Should().Throw<StorageCorruptException>();
        long before = part.Entries;
        part.IsCollected.Should().BeFalse("what it had of the next entries is dropped");
        collect.Should().Throw<StorageCorruptException>();
        part.Entries.Should().Be(before);
        before.Should().BeInRange(1, Entries - 1);
    }

    private StorageEnvironment Open() => StorageEnvironment.Open(Source, new StorageOptions { PageSize = PageBytes });

    private static TransactionId Snapshot(StorageEnvironment environment) => environment.Database.Parts.Source.Versions.Visible;

    private static TreeRecord Record(StorageEnvironment environment)
    {
        Catalog.TryFind(environment.Database.Parts.Source, Snapshot(environment), "t"u8, out TreeRecord record).Should().BeTrue();
        return record;
    }

    /// <summary>The number in the first key of a part: the redo begins with a put, its lengths, the key.</summary>
    private static long FirstKey(EntryPart part) => BinaryPrimitives.ReadInt64BigEndian(part.Redo.Written[3..]);

    /// <summary>The leaf with the last keys of a tree.</summary>
    private static PageNumber LastLeaf(StorageEnvironment environment, TreeRecord tree)
    {
        Descent descent = new(environment.Database.Parts.Source, Snapshot(environment), tree.RootPage);
        while (descent.EnterBranch())
        {
            descent.Follow(descent.Node.Count - 1);
        }

        return descent.Next;
    }

    private void Damage(PageNumber page)
    {
        using FileStream file = File.Open(Path.Combine(Source, "data.voron"), FileMode.Open, FileAccess.ReadWrite);
        file.Position = ((page.Value + 1) * PageBytes) - 1;
        int last = file.ReadByte();
        file.Position--;
        file.WriteByte((byte)(last ^ 1));
    }

    private static void Fill(StorageEnvironment environment, bool longValues)
    {
        byte[] key = new byte[8];
        for (int first = 0; first < Entries; first += 1000)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            Tree tree = transaction.OpenTree("t");
            for (int i = first; i < first + 1000; i++)
            {
                BinaryPrimitives.WriteInt64BigEndian(key, i);
                int length = longValues && i % LongValueEach == 0 ? (60 << 10) + i : 1 + (i % 50);
                tree.Put(key, Sample.Value(length, i));
            }

            transaction.Commit(CommitMode.Lazy);
        }
    }
}

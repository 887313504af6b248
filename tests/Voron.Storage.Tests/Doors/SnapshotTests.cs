using System.Reflection;
using FluentAssertions;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>A reader sees what was committed when it began, whatever is written, checkpointed or dropped meanwhile.</summary>
public class SnapshotTests
{
    [Fact]
    public void A_reader_does_not_see_what_is_committed_after_it_began()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using ReadTransaction before = environment.BeginRead();
        before.TransactionId.Should().Be(0);
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.TransactionId.Should().Be(1);
            transaction.OpenTree("t").Put("k"u8, "1"u8);
            using (ReadTransaction during = environment.BeginRead())
            {
                during.TryOpenTree("t", out _).Should().BeFalse();
            }

            transaction.Commit();
        }

        before.TryOpenTree("t", out _).Should().BeFalse();
        before.TreeNames.Should().BeEmpty();
        using ReadTransaction after = environment.BeginRead();
        after.TransactionId.Should().Be(1);
        after.TryOpenTree("t", out ReadTree tree).Should().BeTrue();
        tree.Get("k"u8).Should().Equal("1"u8.ToArray());
        environment.Check().Findings.Should().BeEmpty();
    }

    [Theory]
    [InlineData(CommitMode.Durable)]
    [InlineData(CommitMode.Buffered)]
    public void Readers_held_over_checkpoints_and_a_thousand_commits_see_their_frozen_copy(CommitMode mode)
    {
        using TemporaryFolder folder = new();
        using StorageEnvironment environment = StorageEnvironment.Open(folder.Path, new StorageOptions { PageSize = 4096 });
        SortedDictionary<int, byte[]> model = [];
        List<(ReadTransaction Reader, Dictionary<int, byte[]> Frozen)> held = [];
        Random random = new(11);
        for (int commit = 0; commit < 1000; commit++)
        {
            using (WriteTransaction transaction = environment.BeginWrite())
            {
                Tree tree = transaction.OpenTree(Sample.Tree);
                for (int i = 0; i < 8; i++)
                {
                    int key = random.Next(1500);
                    byte[] value = Sample.Value(random.Next(20) == 0 ? 9000 : random.Next(120), (commit * 8) + i);
                    if (random.Next(4) == 0)
                    {
                        tree.Delete(Sample.Key(key)).Should().Be(model.Remove(key));
                    }
                    else
                    {
                        tree.Put(Sample.Key(key), value);
                        model[key] = value;
                    }
                }

                transaction.Commit(mode);
            }

            if (commit % 130 == 20)
            {
                held.Add((environment.BeginRead(), new Dictionary<int, byte[]>(model)));
            }

            if (commit % 90 == 0)
            {
                environment.Checkpoint();
            }
        }

        environment.GetReport().OpenReaders.Should().Be(held.Count);
        foreach ((ReadTransaction reader, Dictionary<int, byte[]> frozen) in held)
        {
            ExpectFrozen(reader, frozen);
        }

        // Ended from the middle outwards: those still open keep what they see.
        while (held.Count > 0)
        {
            int middle = held.Count / 2;
            held[middle].Reader.Dispose();
            held.RemoveAt(middle);
            Sample.Put(environment, 100_000 + held.Count, 100_001 + held.Count);
            environment.Checkpoint();
            foreach ((ReadTransaction reader, Dictionary<int, byte[]> frozen) in held)
            {
                ExpectFrozen(reader, frozen);
            }
        }

        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void A_roll_back_after_a_checkpoint_under_way_leaves_the_versions_sound()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory(new StorageOptions
        {
            Engine = new() { Background = false },
            PageSize = 4096,
        });
        for (int round = 0; round < 30; round++)
        {
            Sample.Put(environment, 0, 20, 30_000);
            using (WriteTransaction transaction = environment.BeginWrite())
            {
                Tree tree = transaction.OpenTree(Sample.Tree);
                for (int i = 0; i < 20; i++)
                {
                    tree.Delete(Sample.Key(i)).Should().BeTrue();
                    tree.Put(Sample.Key(100 + i), Sample.Value(200, i));
                }

                // The checkpoint moves the runs to the file while this transaction, which has freed them, is open; then it gives up.
                environment.Checkpoint();
            }

            Sample.Expect(environment, 20, 30_000);
        }
    }

    [Fact]
    public void Buffered_commits_are_visible_at_once_and_there_after_reopening()
    {
        using TemporaryFolder folder = new();
        using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path))
        {
            for (int i = 0; i < 100; i++)
            {
                Sample.Put(environment, i, i + 1, mode: i % 7 == 3 ? CommitMode.Durable : CommitMode.Buffered);
                using ReadTransaction read = environment.BeginRead();
                read.TransactionId.Should().Be(i + 1);
                read.TryOpenTree(Sample.Tree, out ReadTree tree).Should().BeTrue();
                tree.Contains(Sample.Key(i)).Should().BeTrue();
            }
        }

        using StorageEnvironment again = StorageEnvironment.Open(folder.Path);
        Sample.Expect(again, 100);
    }

    [Fact]
    public void What_a_slot_of_a_reader_looks_at_stands_beside_no_other_slot()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        ReaderSlot first = environment.Database.BeginRead();
        ReaderSlot second = environment.Database.BeginRead();
        List<string> own = [];
        for (Type type = typeof(ReaderSlot); type != typeof(object); type = type.BaseType!)
        {
            own.AddRange(type.GetFields(BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.DeclaredOnly)
                .Where(field => !field.FieldType.IsValueType && field.GetValue(first) != field.GetValue(second))
                .Select(static field => field.Name));
        }

        first.Release(first.Occupant);
        second.Release(second.Occupant);
        second.Should().NotBeSameAs(first);
        own.Should().BeEmpty("what a slot refers to is of all slots, or made when first needed");
    }

    private static void ExpectFrozen(ReadTransaction reader, Dictionary<int, byte[]> frozen)
    {
        reader.TryOpenTree(Sample.Tree, out ReadTree tree).Should().BeTrue();
        tree.Count.Should().Be(frozen.Count);
        int seen = 0;
        foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in tree)
        {
            int number = System.Buffers.Binary.BinaryPrimitives.ReadInt32BigEndian(key);
            value.SequenceEqual(frozen[number]).Should().BeTrue("key {0} of snapshot {1}", number, reader.TransactionId);
            seen++;
        }

        seen.Should().Be(frozen.Count);
    }
}

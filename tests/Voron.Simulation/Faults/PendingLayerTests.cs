using FluentAssertions;
using Voron.Storage;
using Xunit;
using static Voron.Simulation.Faults.NumberedRows;

namespace Voron.Simulation.Faults;

/// <summary>Files of the lower layers of pending trees that fail: a layer that cannot be made costs nothing but its use.</summary>
public class PendingLayerTests
{
    private const string SpillFile = "/db/voron.spill";
    private const int Rows = 400;

    [Theory]
    [InlineData((int)SimCallKind.OpenFile, (int)IoErrorKind.AccessDenied)]
    [InlineData((int)SimCallKind.Allocate, (int)IoErrorKind.DiskFull)]
    [InlineData((int)SimCallKind.Map, (int)IoErrorKind.Device)]
    public void A_disk_that_gives_no_layer_refuses_no_commit(int call, int error)
    {
        using FaultRig rig = new();
        SimFault fault = rig.Break((SimCallKind)call, SpillFile, (IoErrorKind)error);
        using (StorageEnvironment environment = Open(rig.Disk))
        {
            Fill(environment);
            fault.WasMet.Should().BeTrue();
            EnvironmentReport report = environment.GetReport();
            report.SpillBytes.Should().Be(0);
            report.MergedEntries.Should().BePositive("what has no layer is merged");
            Read(environment).Should().Be(Rows);
        }

        rig.Heal();
        using StorageEnvironment again = Open(rig.Disk);
        Read(again).Should().Be(Rows);
        again.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void A_layer_that_the_system_may_have_lost_is_never_brought_to_the_data_file()
    {
        using FaultRig rig = new();
        using StorageEnvironment environment = Open(rig.Disk, layerBytes: 1 << 20);
        Fill(environment);
        environment.GetReport().SpillBytes.Should().BePositive();
        rig.Break(SimCallKind.SyncData, SpillFile, IoErrorKind.Device);
        Action checkpoint = environment.Checkpoint;
        checkpoint.Should().Throw<StorageIOException>().WithMessage("*voron.spill*");
        Action next = () => Put(environment, 0, 1);
        next.Should().Throw<StoragePoisonedException>("memory cannot be believed any more, the journal can");
        rig.Heal();
        using StorageEnvironment again = Open(rig.Disk.Kill());
        Read(again).Should().Be(Rows);
        again.Check().Findings.Should().BeEmpty();
    }

    /// <summary>
    /// What is in a layer does not change, also when parts of it are merged: a sync for the first checkpoint after it is enough.
    /// </summary>
    [Fact]
    public void A_layer_is_confirmed_once()
    {
        const int LowerOneIn = 4;
        using FaultRig rig = new();
        using StorageEnvironment environment = Open(rig.Disk, layerBytes: 1 << 20);
        Fill(environment);
        if (environment.GetReport().LastTransactionId % LowerOneIn == LowerOneIn - 1)
        {
            // Makes a layer, as each fourth transaction does with the settings of tests; the next one makes none.
            Put(environment, 0, 1);
        }

        environment.Checkpoint();
        SimFault fault = rig.Break(SimCallKind.SyncData, SpillFile, IoErrorKind.Device);
        Put(environment, 0, 1);
        environment.Checkpoint();
        fault.WasMet.Should().BeFalse();
        environment.GetReport().SpillBytes.Should().BePositive();
        Read(environment).Should().Be(Rows);
    }

    /// <summary>Each reader sees the layers of its snapshot, whatever is merged, lowered and dropped after it.</summary>
    [Fact]
    public void Readers_keep_the_layers_of_their_snapshots()
    {
        using FaultRig rig = new();
        using StorageEnvironment environment = Open(rig.Disk);
        List<(ReadTransaction Reader, int First)> held = [];
        long spilled = 0;
        for (int first = Rows - 10; first >= 0; first -= 10)
        {
            Put(environment, first, 10);
            spilled = Math.Max(spilled, environment.GetReport().SpillBytes);
            held.Add((environment.BeginRead(), first));
            if (first % 70 == 0)
            {
                environment.Checkpoint();
            }
        }

        spilled.Should().BePositive();
        foreach ((ReadTransaction reader, int first) in held)
        {
            ReadTree tree = reader.OpenTree(NumberedRows.Tree);
            int next = first;
            foreach (TreeEntry entry in tree)
            {
                entry.Key.SequenceEqual(Key(next)).Should().BeTrue();
                tree.TryGet(Key(next), out ReadOnlySpan<byte> value).Should().BeTrue();
                value.SequenceEqual(Value(next, 100)).Should().BeTrue();
                next++;
            }

            next.Should().Be(Rows);
            reader.Dispose();
        }

        environment.Checkpoint();
        environment.Check().Findings.Should().BeEmpty();
    }

    /// <summary>A value that is too long for a pending tree takes the place of all entries of its key, in all layers.</summary>
    [Fact]
    public void A_long_value_hides_no_layer_and_is_hidden_by_none()
    {
        using FaultRig rig = new();
        using StorageEnvironment environment = Open(rig.Disk);
        for (int round = 0; round < 12; round++)
        {
            // Shorter ones in several layers, then a long one of every fourth key, then a deletion of that.
            using WriteTransaction transaction = environment.BeginWrite();
            NumberedRows.Put(transaction, Enumerable.Range(0, 100), 60 + round);
            transaction.Commit();
            using WriteTransaction longer = environment.BeginWrite();
            Tree tree = longer.OpenTree(NumberedRows.Tree);
            for (int row = round % 4; row < 100; row += 4)
            {
                tree.Put(Key(row), Value(row, round % 2 == 0 ? 700 : 9000));
            }

            longer.Commit();
            Read(environment).Should().Be(100);
            using ReadTransaction reader = environment.BeginRead();
            reader.OpenTree(NumberedRows.Tree).TryGet(Key(round % 4), out ReadOnlySpan<byte> value).Should().BeTrue();
            value.Length.Should().Be(round % 2 == 0 ? 700 : 9000);
        }

        environment.Check().Findings.Should().BeEmpty();
    }

    /// <summary>From the last rows to the first ones: what is put at the end of a tree is not collected.</summary>
    private static void Fill(StorageEnvironment environment)
    {
        for (int first = Rows - 80; first >= 0; first -= 80)
        {
            Put(environment, first, 80);
        }
    }

    private static void Put(StorageEnvironment environment, int first, int count)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        NumberedRows.Put(transaction, Enumerable.Range(first, count), 100);
        transaction.Commit();
    }

    /// <summary>With a top of a page, and room for a few layers.</summary>
    private static StorageEnvironment Open(SimDisk disk, long layerBytes = 50_000) => StorageEnvironment.Open(Folder, new StorageOptions
    {
        Engine = new() { Disk = disk, Background = false, PendingBytes = 5_000, PendingLayerBytes = layerBytes, JournalledBytes = 0 },
        PageSize = 4096,
    });
}

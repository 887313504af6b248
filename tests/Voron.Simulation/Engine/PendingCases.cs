using System.Runtime.InteropServices;
using Voron.Simulation.Faults;
using Voron.Storage;
using Voron.Storage.Format;
using static Voron.Simulation.Engine.DirectedLane;
using static Voron.Simulation.Faults.NumberedRows;

namespace Voron.Simulation.Engine;

/// <summary>The cases of the lane directed that are about entries which are pending.</summary>
internal static class PendingCases
{
    /// <summary>More than two thousand small entries need, so that some of them are always pending.</summary>
    internal const long PendingBytes = 40_000;
    internal const int Rows = 400;

    /// <summary>With lower layers: a page, and some layers.</summary>
    private const long TopBytes = 5_000;
    private const long LayerBytes = 50_000;

    /// <summary>One transaction in this many ends the pending trees, in the settings of tests.</summary>
    private const int EndOneIn = 9;

    /// <summary>
    /// Puts behind the position of a round stay pending when the round ends: a checkpoint then still needs the journal from the first of
    /// them on.
    /// </summary>
    internal static void PutBehindMerges()
    {
        using FaultRig rig = new();
        StorageOptions options = Options(rig.Disk);
        using StorageEnvironment environment = StorageEnvironment.Open(Folder, options);
        int[] lengths = new int[Rows];
        Put(environment, lengths, 0, Rows, 100);
        for (int i = 0; i < 24; i++)
        {
            // The low keys again and again, and so many others that a round takes several commits.
            Put(environment, lengths, i % 3 * 20, 20, 101 + i);
            Put(environment, lengths, 100 + (i * 37 % 200), 80, 101 + i);
            environment.Checkpoint();
            foreach (SimDisk left in (SimDisk[])[rig.Disk.Kill(), rig.Disk.Cut(CutChoice.None)])
            {
                using StorageEnvironment again = StorageEnvironment.Open(Folder, Options(left));
                RequireLengths(again, lengths, $"after round {i}");
                Require(again.Check().Findings.Count == 0, $"the check finds something after round {i}");
            }
        }
    }

    /// <summary>
    /// Rows that were put behind the position of a round are found when it has ended, where they still are pending. A pending tree that
    /// ended in the middle of a round does not take the turn of the next one.
    /// </summary>
    internal static void ReadBesideRounds()
    {
        using FaultRig rig = new();
        using StorageEnvironment environment = StorageEnvironment.Open(Folder, Options(rig.Disk, pendingBytes: PendingBytes / 5));
        int[] lengths = new int[Rows];
        Put(environment, lengths, 0, Rows, 100);
        for (int i = 0; i < 90; i++)
        {
            Put(environment, lengths, i * 53 % (Rows - 20), 20, 101 + i);
            RequireLengths(environment, lengths, $"after commit {i}");
        }

        Require(environment.GetReport().MergedEntries > 600, "most commits merge what the one before them has put");
    }

    /// <summary>
    /// A leaf that is damaged while entries of it are pending: other commits succeed, the event tells of it, and what is pending there can
    /// be read, also after a kill.
    /// </summary>
    internal static void DamageLeafOfPending()
    {
        using FaultRig rig = new();
        int[] lengths = new int[Rows];
        using (StorageEnvironment environment = StorageEnvironment.Open(Folder, Options(rig.Disk)))
        {
            Put(environment, lengths, 0, Rows, 300);
            environment.Checkpoint();
            Put(environment, lengths, 0, 200, 200);
            environment.Checkpoint();
        }

        // Some of the leaves have entries to come, and some of the pages are leaves that were moved since.
        byte[] file = rig.Disk.Peek(DataFile)!;
        IEnumerable<int> leaves = Enumerable.Range(4, (file.Length / PageBytes) - 4).Where(page =>
            MemoryMarshal.Read<PageHeader>(file.AsSpan(page * PageBytes)) is { Kind: PageKind.Leaf, Count: > 4 });
        Require(leaves.Count(page => IsDamageTold(rig.Disk.Kill(), page, 200, 0)) > 1, "no event tells of the damaged leaf");
    }

    /// <summary>The same with newer entries in an upper layer: they count, whatever of the lower ones cannot be merged.</summary>
    internal static void DamageLeafBelowLayers()
    {
        using FaultRig rig = new();
        int[] lengths = new int[Rows];
        using (StorageEnvironment environment = StorageEnvironment.Open(Folder, Options(rig.Disk)))
        {
            Put(environment, lengths, 0, Rows, 300);
            environment.Checkpoint();
        }

        using (StorageEnvironment environment = StorageEnvironment.Open(Folder, Options(rig.Disk, layerBytes: LayerBytes)))
        {
            while (environment.GetReport().LastTransactionId % EndOneIn != 0)
            {
                Put(environment, lengths, Rows - 1, 1, 300);
            }

            Put(environment, lengths, 0, 200, 200);
            Put(environment, lengths, 0, 200, 150);
            environment.Checkpoint();
        }

        byte[] file = rig.Disk.Peek(DataFile)!;
        IEnumerable<int> leaves = Enumerable.Range(4, (file.Length / PageBytes) - 4).Where(page =>
            MemoryMarshal.Read<PageHeader>(file.AsSpan(page * PageBytes)) is { Kind: PageKind.Leaf, Count: > 4 });

        // With layers, and room for none: what they have is merged.
        Require(leaves.Count(page => IsDamageTold(rig.Disk.Kill(), page, 150, layerBytes: 1)) > 1, "no event tells of the damaged leaf");
    }

    /// <summary>Of a key that is in several layers, the uppermost one counts, for gets and for positions in both directions.</summary>
    internal static void ReadThroughLayers()
    {
        using FaultRig rig = new();
        StorageOptions options = Options(rig.Disk, layerBytes: 20 * LayerBytes);
        using StorageEnvironment environment = StorageEnvironment.Open(Folder, options);
        int[] lengths = new int[Rows];
        Put(environment, lengths, 0, Rows, 60);
        for (int i = 1; i < 24; i++)
        {
            Put(environment, lengths, i % 5 * 10, 90, 60 + i);
            RequireLengths(environment, lengths, $"after commit {i}");
            using ReadTransaction read = environment.BeginRead();
            using Cursor cursor = read.OpenTree(NumberedRows.Tree).OpenCursor();
            bool has = cursor.MoveLast();
            for (int row = Rows - 1; row >= 0; row--, has = cursor.MovePrevious())
            {
                bool isRight = has && cursor.Key.SequenceEqual(Key(row)) && cursor.Value.SequenceEqual(Value(row, lengths[row]));
                Require(isRight, $"row {row} is wrong backwards after commit {i}");
            }
        }

        Require(environment.Check().Findings.Count == 0, "the check finds something");
    }

    /// <summary>
    /// Rows that change again and again while few layers are allowed, so that merges take the same rows from several of them; and values
    /// that are too long for layers, above shorter ones in each of them.
    /// </summary>
    internal static void MergeSeveralLayers()
    {
        using FaultRig rig = new();
        StorageOptions options = Options(rig.Disk, layerBytes: LayerBytes / 2);
        using StorageEnvironment environment = StorageEnvironment.Open(Folder, options);
        int[] lengths = new int[Rows];
        Put(environment, lengths, 0, Rows, 60);
        for (int i = 1; i < 30; i++)
        {
            Put(environment, lengths, i % 3 * 20, 90, 60 + i);
            Put(environment, lengths, i * 7 % 80, 12, i % 4 == 0 ? 700 : 30 + i);
            RequireLengths(environment, lengths, $"after round {i}");
            if (i % 3 == 0)
            {
                environment.Checkpoint();
            }

            using StorageEnvironment again = StorageEnvironment.Open(Folder, Options(rig.Disk.Kill(), layerBytes: LayerBytes));
            RequireLengths(again, lengths, $"after a kill behind round {i}");
        }

        Require(environment.Check().Findings.Count == 0, "the check finds something");
    }

    private static bool IsDamageTold(SimDisk disk, int page, int valueBytes, long layerBytes)
    {
        disk.Damage(DataFile, (page * PageBytes) + PageBytes - 40, 1);
        List<StorageEvent> events = [];
        for (int opens = 0; opens < 2; opens++)
        {
            using StorageEnvironment environment = StorageEnvironment.Open(Folder, Options(disk, events.Add, layerBytes: layerBytes));

            // Before a transaction that ends pending trees, which would meet the damage unprepared.
            int commits = layerBytes == 0 ? 8 : opens == 0 ? EndOneIn - 4 : 0;
            int puts = layerBytes > 0 ? 600 : 120;
            for (int i = 0; i < commits; i++)
            {
                using WriteTransaction transaction = environment.BeginWrite();
                Tree other = transaction.OpenTree("other");
                for (int key = 0; key < puts; key++)
                {
                    other.Put(Key((opens * 1000) + (i * puts) + key), Value(key, 100));
                }

                transaction.Commit();
            }

            environment.Checkpoint();
            using ReadTransaction read = environment.BeginRead();
            ReadTree tree = read.OpenTree(NumberedRows.Tree);
            for (int key = 0; key < 200; key++)
            {
                Require(HasLength(tree, key, valueBytes) != false, $"row {key} is wrong");
            }

            disk = disk.Kill();
        }

        return events.Exists(static one => one.Kind == StorageEventKind.ChangesNotMerged);
    }

    /// <summary>Within one transaction: what it did to the first tree of a name is not what is pending of the second one.</summary>
    internal static void MakeTreeAnew()
    {
        using FaultRig rig = new();
        using StorageEnvironment environment = StorageEnvironment.Open(Folder, Options(rig.Disk));
        int[] lengths = new int[Rows];
        for (int round = 0; round < 10; round++)
        {
            using (WriteTransaction transaction = environment.BeginWrite())
            {
                NumberedRows.Put(transaction, Enumerable.Range(0, Rows), 60);
                transaction.DropTree(NumberedRows.Tree);
                NumberedRows.Put(transaction, Enumerable.Range(Rows / 2, Rows / 2), 70 + round);
                transaction.Commit();
            }

            environment.Checkpoint();
            using StorageEnvironment again = StorageEnvironment.Open(Folder, Options(rig.Disk.Kill()));
            using ReadTransaction read = again.BeginRead();
            ReadTree tree = read.OpenTree(NumberedRows.Tree);
            bool isSecond = tree.Count == Rows / 2 && HasLength(tree, Rows - 1, 70 + round) == true;
            Require(isSecond, $"the second tree of round {round} is another one");
            Require(tree.TryGetFirst(out TreeEntry first) && first.Key.SequenceEqual(Key(Rows / 2)), "rows of the first tree are there");
            Put(environment, lengths, round * 20, 20, 50);
        }
    }

    /// <summary>
    /// A kill right after a checkpoint, and an open with room for less: what it would merge while it brings back that snapshot would be
    /// taken for what is in the file.
    /// </summary>
    internal static void OpenWithLessMemory()
    {
        for (int round = 0; round < 8; round++)
        {
            using FaultRig rig = new();
            int[] lengths = new int[Rows];
            using StorageEnvironment killed = StorageEnvironment.Open(Folder, Options(rig.Disk));
            Put(killed, lengths, 0, Rows, 100);
            for (int i = 0; i < 9; i++)
            {
                // Until the first pending tree has ended.
                Put(killed, lengths, Rows - 1, 1, 100);
            }

            // The first leaf has one entry to come, and the last ones many.
            Put(killed, lengths, round, 1, 101);
            Put(killed, lengths, Rows / 2, 150, 101);
            killed.Checkpoint();
            SimDisk left = rig.Disk.Kill();
            using (StorageEnvironment again = StorageEnvironment.Open(Folder, Options(left, pendingBytes: 6_000)))
            {
                for (int i = 0; i < 20; i++)
                {
                    Put(again, lengths, 300 + i, 1, 102);
                    again.Checkpoint();
                }
            }

            using StorageEnvironment last = StorageEnvironment.Open(Folder, Options(left));
            RequireLengths(last, lengths, $"after round {round}");
            Require(last.Check().Findings.Count == 0, $"the check finds something after round {round}");
        }
    }

    /// <summary>
    /// New rows all over the tree, more than a commit merges: what a checkpoint says of rows that the round has passed does not hold for
    /// those that it has not.
    /// </summary>
    internal static void PutAllOverTree()
    {
        const int Commits = 16;
        const int RowsPerCommit = 60;
        using FaultRig rig = new();
        using StorageEnvironment environment = StorageEnvironment.Open(Folder, Options(rig.Disk));
        int[] lengths = new int[Commits * RowsPerCommit];
        for (int i = 0; i < Commits; i++)
        {
            int[] keys = [.. Enumerable.Range(0, RowsPerCommit).Select(row => (row * Commits) + (i * 5 % Commits))];
            using (WriteTransaction transaction = environment.BeginWrite())
            {
                NumberedRows.Put(transaction, keys, 100 + i);
                transaction.Commit();
            }

            Array.ForEach(keys, key => lengths[key] = 100 + i);
            environment.Checkpoint();
            using StorageEnvironment again = StorageEnvironment.Open(Folder, Options(rig.Disk.Kill()));
            RequireLengths(again, lengths, $"after commit {i}");
            Require(again.Check().Findings.Count == 0, $"the check finds something after commit {i}");
        }
    }

    internal static StorageOptions Options(
        SimDisk disk, Action<StorageEvent>? onEvent = null, long pendingBytes = PendingBytes, long layerBytes = 0,
        bool writeOptimizes = false) => new()
    {
        Engine = new()
        {
            Disk = disk, Background = false, PendingBytes = layerBytes > 0 ? TopBytes : pendingBytes, PendingLayerBytes = layerBytes,
            JournalledBytes = 0, WriteOptimizesAll = writeOptimizes,
        },
        PageSize = PageBytes, OnEvent = onEvent,
    };

    internal static void Put(StorageEnvironment environment, int[] lengths, int first, int count, int bytes)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        NumberedRows.Put(transaction, Enumerable.Range(first, count), bytes);
        transaction.Commit();
        lengths.AsSpan(first, count).Fill(bytes);
    }

    internal static void RequireLengths(StorageEnvironment environment, int[] lengths, string where)
    {
        using ReadTransaction read = environment.BeginRead();
        RequireLengths(read, lengths, where);
    }

    internal static void RequireLengths(ReadTransaction read, int[] lengths, string where)
    {
        ReadTree tree = read.OpenTree(NumberedRows.Tree);
        for (int key = 0; key < lengths.Length; key++)
        {
            Require(lengths[key] == 0 || HasLength(tree, key, lengths[key]) == true, $"row {key} is wrong {where}");
        }
    }

    /// <summary>Whether a row has the value of this length; null if it cannot be read.</summary>
    private static bool? HasLength(ReadTree tree, int key, int bytes)
    {
        try
        {
            return tree.TryGet(Key(key), out ReadOnlySpan<byte> value) && value.SequenceEqual(Value(key, bytes));
        }
        catch (StorageException error) when (error.IsOfDamage)
        {
            return null;
        }
    }
}

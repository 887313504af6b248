using Voron.Simulation.Faults;
using Voron.Storage;
using static Voron.Simulation.Engine.DirectedLane;
using static Voron.Simulation.Engine.PendingCases;
using static Voron.Simulation.Faults.NumberedRows;

namespace Voron.Simulation.Engine;

/// <summary>The cases of the lane directed about values that are too long to be pending, and about layers that are lost.</summary>
internal static class PendingValueCases
{
    /// <summary>
    /// A transaction replaces rows that are pending with such that are too long for that, and puts short ones beside them: leaves that lose
    /// the ones get others of their neighbours, to which the short ones then belong.
    /// </summary>
    internal static void MixLengths()
    {
        using FaultRig rig = new();
        using StorageEnvironment environment = StorageEnvironment.Open(Folder, Options(rig.Disk, pendingBytes: 4 * PendingBytes));
        int[] lengths = new int[Rows];
        for (int i = 0; i < 60; i++)
        {
            int first = 20 + (i * 53 % (Rows - 60));
            Put(environment, lengths, 0, Rows, 60 + i);
            using (WriteTransaction transaction = environment.BeginWrite())
            {
                // In no order, so that their leaves are found before the first of them is put.
                NumberedRows.Put(transaction, Enumerable.Range(first, 30).Reverse(), 300);
                NumberedRows.Put(transaction, Enumerable.Range(first - 20, 60).Reverse(), 100);
                transaction.Commit();
            }

            lengths.AsSpan(first - 20, 60).Fill(100);
            RequireLengths(environment, lengths, $"after commit {i}");
            Require(environment.Check().Findings.Count == 0, $"the check finds something after commit {i}");
        }
    }

    /// <summary>The system loses a layer before the first checkpoint after it has synced it: that checkpoint fails.</summary>
    internal static void LoseLayer()
    {
        using FaultRig rig = new();
        using StorageEnvironment environment = StorageEnvironment.Open(Folder, Options(rig.Disk, layerBytes: 20 * PendingBytes));
        int[] lengths = new int[Rows];
        Put(environment, lengths, 0, Rows, 100);
        environment.Checkpoint();
        Put(environment, lengths, 0, Rows, 101);
        Put(environment, lengths, 0, Rows, 102);
        rig.Break(SimCallKind.SyncData, Folder + "/voron.spill", IoErrorKind.Device);
        try
        {
            environment.Checkpoint();
            throw new SiteFailureException("a checkpoint believed a layer that the system has lost");
        }
        catch (StorageIOException)
        {
            // Told.
        }

        rig.Heal();
        using StorageEnvironment again = StorageEnvironment.Open(Folder, Options(rig.Disk.Kill()));
        RequireLengths(again, lengths, "after a kill");
    }

    /// <summary>
    /// Snapshots of several ages get rows by their keys while layers of all sizes are made and merged: what is emptied to be used again is
    /// no filter of theirs.
    /// </summary>
    internal static void ReadOlderSnapshots()
    {
        using FaultRig rig = new();
        using StorageEnvironment environment = StorageEnvironment.Open(Folder, Options(rig.Disk, layerBytes: PendingBytes));
        int[] lengths = new int[Rows];
        Put(environment, lengths, 0, Rows, 60);
        Queue<(ReadTransaction Read, int[] Lengths)> readers = [];
        for (int i = 1; i < 120; i++)
        {
            Put(environment, lengths, i * 53 % (Rows - 90), i % 8 < 4 ? 90 : 8, 60 + i);
            readers.Enqueue((environment.BeginRead(), [.. lengths]));
            foreach ((ReadTransaction read, int[] seen) in readers)
            {
                RequireLengths(read, seen, $"in snapshot {read.TransactionId} after commit {i}");
            }

            if (readers.Count > i % 16)
            {
                readers.Dequeue().Read.Dispose();
            }
        }

        while (readers.TryDequeue(out (ReadTransaction Read, int[] Lengths) reader))
        {
            reader.Read.Dispose();
        }
    }

    /// <summary>
    /// A large value that a small one replaces gives its pages back in that transaction, not when a merge comes to it: others take them,
    /// and a recovery repeats no merge.
    /// </summary>
    internal static void ReplaceLargeValues()
    {
        using FaultRig rig = new();
        using StorageEnvironment environment = StorageEnvironment.Open(Folder, Options(rig.Disk));
        int[] lengths = new int[Rows + 12];
        Put(environment, lengths, 0, Rows, 100);
        environment.Checkpoint();
        for (int i = 0; i < 12; i++)
        {
            Put(environment, lengths, Rows + i, 1, PlacedBytes);
            Put(environment, lengths, Rows + i, 1, 50);
            for (int j = 0; j < 8; j++)
            {
                // Until a round of merges has come to the last rows.
                Put(environment, lengths, 40 * j, 80, 101 + i);
            }

            // With room for more, the open merges nothing.
            StorageOptions roomy = Options(rig.Disk.Kill(), pendingBytes: 100 * PendingBytes);
            using StorageEnvironment again = StorageEnvironment.Open(Folder, roomy);
            RequireLengths(again, lengths, $"after value {i}");
            Require(again.Check().Findings.Count == 0, $"the check finds something after value {i}");
        }
    }
}

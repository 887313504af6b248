using Voron.Simulation.Faults;
using Voron.Storage;
using static Voron.Simulation.Engine.DirectedLane;
using static Voron.Simulation.Faults.NumberedRows;

namespace Voron.Simulation.Engine;

/// <summary>The cases of the lane directed that are about write-optimized trees.</summary>
internal static class BlindCases
{
    private const int Rows = 400;
    private const int Values = 12;

    /// <summary>
    /// A small value over a large one: the large one gives its pages back in that transaction, as in a tree whose puts look keys up.
    /// </summary>
    internal static void ReplaceLargeValues() => ReplaceLargeValues(between: 0);

    /// <summary>The same when the pending tree has ended and begun again in between: then nothing tells of the large value.</summary>
    internal static void ReplaceLargeValuesLater() => ReplaceLargeValues(between: 12);

    /// <summary>
    /// A range of rows is deleted of which some are pending and others are not: the record counts what the leaves then have, and the tree
    /// counts exactly once all is merged.
    /// </summary>
    internal static void DeleteRangeOfPending()
    {
        using FaultRig rig = new();
        using StorageEnvironment environment = StorageEnvironment.Open(Folder, Options(rig.Disk));
        int[] lengths = new int[Rows];
        for (int i = 0; i < 20; i++)
        {
            // Fewer commits than those after which all is merged.
            for (int j = 0; j < i % 5; j++)
            {
                PendingCases.Put(environment, lengths, ((i * 31) + (j * 90)) % (Rows - 40), 40, 100 + i);
            }

            int first = i * 53 % (Rows - 80);
            using (WriteTransaction transaction = environment.BeginWrite())
            {
                transaction.OpenTree(NumberedRows.Tree).DeleteRange(Key(first), Key(first + 80));
                transaction.Commit();
            }

            lengths.AsSpan(first, 80).Clear();
            Require(environment.Check().Findings.Count == 0, $"the check finds something after range {i}");
            using ReadTransaction read = environment.BeginRead();
            ReadTree rows = read.OpenTree(NumberedRows.Tree);
            int left = lengths.Count(static bytes => bytes > 0);
            Require(!rows.IsCountExact || rows.Count == left, $"the tree counts {rows.Count} rows of {left} after range {i}");
        }
    }

    private static void ReplaceLargeValues(int between)
    {
        using FaultRig rig = new();
        using StorageEnvironment environment = StorageEnvironment.Open(Folder, Options(rig.Disk));
        int[] lengths = new int[Rows + Values];
        PendingCases.Put(environment, lengths, 0, Rows, 100);
        environment.Checkpoint();
        for (int i = 0; i < Values; i++)
        {
            PendingCases.Put(environment, lengths, Rows + i, 1, PlacedBytes);
            for (int j = 0; j < between; j++)
            {
                PendingCases.Put(environment, lengths, j, 1, 100);
            }

            PendingCases.Put(environment, lengths, Rows + i, 1, 50);
            for (int j = 0; j < 8; j++)
            {
                // Until a round of merges has come to the last rows.
                PendingCases.Put(environment, lengths, 40 * j, 80, 101 + i);
            }

            // With room for more, the open merges nothing.
            StorageOptions roomy = PendingCases.Options(
                rig.Disk.Kill(), pendingBytes: 100 * PendingCases.PendingBytes, writeOptimizes: true);
            using StorageEnvironment again = StorageEnvironment.Open(Folder, roomy);
            PendingCases.RequireLengths(again, lengths, $"after value {i}");
            Require(again.Check().Findings.Count == 0, $"the check finds something after value {i}");
        }
    }

    private static StorageOptions Options(SimDisk disk) => PendingCases.Options(disk, writeOptimizes: true);
}

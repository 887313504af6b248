using Voron.Simulation.Crashes;
using Voron.Storage;
using Voron.Storage.Threads;
using Voron.Storage.Transactions;

namespace Voron.Simulation.Schedules;

/// <summary>Reads and writes the two trees of a schedule's database, with points between the rows at which others may run.</summary>
internal static class ScheduleTrees
{
    private const int RowsPerPass = 4;
    private static readonly string[] Names = ["even", "odd"];

    /// <summary>Makes the changes; false when none of them changed anything.</summary>
    internal static bool Apply(WriteTransaction write, IReadOnlyList<WorkloadChange> changes, IScheduler scheduler)
    {
        bool changed = false;
        foreach (WorkloadChange change in changes)
        {
            scheduler.Pass(SchedulingPoint.Caller);
            string name = Names[change.Key[^1] & 1];
            if (change.Value is not null)
            {
                write.OpenTree(name).Put(change.Key, change.Value);
                changed = true;
            }
            else if (write.TryOpenTree(name, out Tree tree))
            {
                changed |= tree.Delete(change.Key);
            }
        }

        return changed;
    }

    /// <summary>A question about the trees makes the changes that were only noted.</summary>
    internal static void Make(WriteTransaction write)
    {
        foreach (string name in Names)
        {
            _ = write.TryOpenTree(name, out Tree tree) && tree.Contains("k"u8);
        }
    }

    internal static List<(byte[] Key, byte[] Value)> Read(ReadTransaction read, Action pass)
    {
        List<(byte[] Key, byte[] Value)> rows = [];
        foreach (string name in Names)
        {
            if (!read.TryOpenTree(name, out ReadTree tree))
            {
                continue;
            }

            pass();
            long before = rows.Count;
            foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in tree)
            {
                if (rows.Count % RowsPerPass == 0)
                {
                    pass();
                }

                rows.Add((key.ToArray(), value.ToArray()));
            }

            if (rows.Count - before != tree.Count)
            {
                throw new InvalidDataException($"The tree '{name}' says {tree.Count} entries and shows {rows.Count - before}.");
            }
        }

        rows.Sort(static (left, right) => left.Key.AsSpan().SequenceCompareTo(right.Key));
        return rows;
    }
}

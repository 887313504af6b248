using Voron.Simulation.Crashes;
using Voron.Storage;

namespace Voron.Simulation.Engine;

/// <summary>
/// Puts of one transaction that stand together and are of different keys may be made in any order: every second such group is, those above
/// all keys of the tree as a load.
/// </summary>
internal static class EngineLoad
{
    /// <summary>How many of the changes, from this one on, are such a group; fewer than two are none.</summary>
    internal static int CountTogether(IReadOnlyList<WorkloadChange> changes, int from, Func<byte[], int> treeOf)
    {
        HashSet<string> keys = [];
        int count = 0;
        while (from + count < changes.Count && IsPlainPut(changes[from + count])
            && treeOf(changes[from + count].Key) == treeOf(changes[from].Key)
            && keys.Add(Convert.ToHexString(changes[from + count].Key)))
        {
            count++;
        }

        return count % 2 == 1 ? count : 0;
    }

    internal static void Put(Tree tree, IEnumerable<WorkloadChange> puts)
    {
        byte[]? last = null;
        using (WriteCursor cursor = tree.OpenCursor())
        {
            last = cursor.MoveLast() ? cursor.Key.ToArray() : null;
        }

        WorkloadChange[] ascending = [.. puts.OrderBy(static put => put.Key, KeyOrder.Instance)];
        int below = last is null ? 0 : ascending.Count(put => KeyOrder.Instance.Compare(put.Key, last) <= 0);
        foreach (WorkloadChange put in ascending.Take(below))
        {
            tree.Put(put.Key, put.Value);
        }

        tree.Load(ascending.Skip(below).Select(static put =>
            KeyValuePair.Create<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>(put.Key, put.Value)));
    }

    private static bool IsPlainPut(WorkloadChange change) =>
        change.End is null && change.Value?.Length < EngineSubject.PlacedValueBytes
        && !Workload.NameKeys.Any(name => change.Key.AsSpan().SequenceEqual(name));
}

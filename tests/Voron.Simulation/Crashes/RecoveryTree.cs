namespace Voron.Simulation.Crashes;

/// <summary>
/// Recoveries that were made, as a tree over what each of them looked at. A recovery follows from what it looks at, so a state that shows
/// all that an earlier one looked at recovers as that one did, and need not be opened to know it.
/// </summary>
internal sealed class RecoveryTree
{
    private readonly Node _root = new();

    internal void Add(SimReadSet read, long recovered)
    {
        Node node = _root;
        foreach ((SimFact fact, Hash128 value) in read.Facts)
        {
            if (!node.Next.TryGetValue(fact, out Dictionary<Hash128, Node>? values))
            {
                node.Next.Add(fact, values = []);
            }

            if (!values.TryGetValue(value, out Node? next))
            {
                values.Add(value, next = new Node());
            }

            node = next;
        }

        node.Recovered = recovered;
    }

    /// <param name="disk">A disk that was not used yet.</param>
    /// <param name="recovered">What the earlier recovery ended with.</param>
    internal bool TryFind(SimDisk disk, out long recovered)
    {
        long? found = Find(_root, disk);
        recovered = found ?? 0;
        return found is not null;
    }

    private static long? Find(Node node, SimDisk disk)
    {
        foreach ((SimFact fact, Dictionary<Hash128, Node> values) in node.Next)
        {
            if (values.TryGetValue(disk.ValueOf(fact), out Node? next) && Find(next, disk) is { } recovered)
            {
                return recovered;
            }
        }

        return node.Recovered;
    }

    private sealed class Node
    {
        internal Dictionary<SimFact, Dictionary<Hash128, Node>> Next { get; } = [];

        internal long? Recovered { get; set; }
    }
}

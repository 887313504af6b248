using System.Text;

namespace Voron.Simulation.Ranges;

/// <summary>
/// Visits every state of the model within bounds, breadth first, so that a history that ends in a violation is a shortest one.
/// </summary>
internal sealed class RangeSearch(RangeBounds bounds, RangeRule broken)
{
    private static readonly Func<RangeStep, bool>[] Actors =
    [
        RangeWriter.Begin, RangeWriter.End, RangeWriter.WriteJournal, RangeWriter.Read, RangeMerge.Go, RangeCheckpoint.Go,
        RangeRecovery.Settle, RangeCrash.Evict, RangeCrash.Cut,
    ];

    private readonly HashSet<Hash128> _seen = [];
    private readonly List<(int Before, byte[] Choices)> _nodes = [];
    private readonly Queue<(byte[] State, int Node)> _open = [];

    internal int States => _seen.Count;

    internal long Steps { get; private set; }

    /// <summary>The history that ends in a violation, a line for each step; empty if there is none.</summary>
    internal List<string> History { get; } = [];

    /// <summary>What the last step of the history has shown to be wrong; null if all states are right.</summary>
    internal string? Violation { get; private set; }

    internal static RangeSearch Run(RangeBounds bounds, RangeRule broken = RangeRule.None)
    {
        RangeSearch search = new(bounds, broken);
        search.Run();
        return search;
    }

    private void Run()
    {
        RangeWorld world = new();
        Begin(world);
        _seen.Add(Hash128.Of(world.Bytes));
        _nodes.Add((-1, []));
        _open.Enqueue((world.Bytes.ToArray(), 0));
        while (_open.TryDequeue(out (byte[] State, int Node) next) && Violation is null)
        {
            Expand(world, next.State, next.Node);
        }
    }

    /// <summary>One key is there and one is not; both are in their leaves, and a checkpoint has all of it.</summary>
    private static void Begin(RangeWorld world)
    {
        for (int transaction = 0; transaction < RangeWorld.Transactions; transaction++)
        {
            world.Entry(transaction, 0) = world.Entry(transaction, 1) = RangeWorld.None;
        }

        world.Reader = RangeWorld.None;
        world.Value(0, 0) = RangeWorld.Initial;
        world.Extent(0, 1) = world.SetExtent(0, 1) = 1;
        world.Count(0) = world.SetCount(0) = 1;
        world.SetState(0) = RangeCheckpoint.Complete;
        RangeCheckpoint.DropEntries(world, 0);
        RangeCheckpoint.DropEntries(world, 1);
        world.Cache(0) = world.Device(0) = RangeWorld.Content(0, RangeWorld.Initial);
        world.Cache(1) = world.Device(1) = RangeWorld.Content(1, RangeWorld.Absent);
        for (int place = RangeWorld.Ranges; place < RangeWorld.Places; place++)
        {
            world.Cache(place) = world.Device(place) = RangeWorld.Torn;
        }
    }

    private void Expand(RangeWorld world, byte[] state, int node)
    {
        StepChoice choice = new();
        do
        {
            state.CopyTo(world.Bytes, 0);
            choice.Restart();
            (bool isPossible, string? violation) = Do(new RangeStep(world, choice, bounds, broken, story: null));
            Steps += isPossible ? 1 : 0;
            if (violation is not null)
            {
                Violation = violation;
                _nodes.Add((node, choice.ToArray()));
                Tell(world);
                return;
            }

            if (isPossible && _seen.Add(Hash128.Of(world.Bytes)))
            {
                _nodes.Add((node, choice.ToArray()));
                _open.Enqueue((world.Bytes.ToArray(), _nodes.Count - 1));
            }
        }
        while (choice.Advance());
    }

    private static (bool IsPossible, string? Violation) Do(RangeStep step)
    {
        if (!Actors[step.Choice.Next(Actors.Length)](step))
        {
            return (false, null);
        }

        if (step.Violation is null)
        {
            RangeSnapshots.CompareAll(step);
            RangeSnapshots.FreeEntries(step);
            RangeSnapshots.CompareAll(step);
            RangeSnapshots.ForgetPast(step.World);
        }

        return (true, step.Violation);
    }

    /// <summary>Goes the way to the last node once more, and writes down what happens.</summary>
    private void Tell(RangeWorld world)
    {
        Stack<byte[]> way = [];
        for (int node = _nodes.Count - 1; node > 0; node = _nodes[node].Before)
        {
            way.Push(_nodes[node].Choices);
        }

        Array.Clear(world.Bytes);
        Begin(world);
        foreach (byte[] choices in way)
        {
            StringBuilder story = new();
            Do(new RangeStep(world, new StepChoice(choices), bounds, broken, story));
            History.Add($"{History.Count + 1}. {story}");
        }
    }
}

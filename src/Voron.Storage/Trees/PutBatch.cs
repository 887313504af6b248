namespace Voron.Storage.Trees;

/// <summary>
/// Puts that a write transaction has noted and makes later, together: in the middle of the transaction when somebody looks, or at its
/// commit, beside the journal's write when that is worth it.
/// </summary>
internal sealed class PutBatch(TreeWriter trees)
{
    internal const int Capacity = 128;

    /// <summary>Puts between the steps in which a leaf is fetched ahead of its own.</summary>
    private const int Stride = 3;

    /// <summary>Puts in ascending order of which it is worth to ask whether they all go behind the tree's end.</summary>
    private const int RunWorthAppending = 8;

    private readonly NotedPut[] _puts = new NotedPut[Capacity];
    private bool _areLeavesKnown;

    internal int Count { get; private set; }

    internal bool IsFull => Count == Capacity;

    /// <summary>
    /// How often a key was below the one before. Puts in order share leaves and are made quickly; those without order wait for memory.
    /// </summary>
    internal int Disorder { get; private set; }

    internal void Add(in NotedPut put, ReadOnlySpan<byte> notes)
    {
        ref NotedPut added = ref _puts[Count];
        added = put;
        if (Count > 0)
        {
            ref readonly NotedPut before = ref _puts[Count - 1];
            int order = put.IsAppend ? 1 : put.Key(notes).SequenceCompareTo(before.Key(notes));
            Disorder += order < 0 ? 1 : 0;
            added.Follows = order > 0 && put.Root == before.Root;
        }

        Count++;
    }

    /// <summary>
    /// Whether the batch ends with an append to this tree, and if so, its key: what is appended next only has to be above that.
    /// </summary>
    internal bool EndsWithAppend(long root, ReadOnlySpan<byte> notes, out ReadOnlySpan<byte> key)
    {
        bool ends = Count > 0 && _puts[Count - 1].IsAppend && _puts[Count - 1].Root == root;
        key = ends ? _puts[Count - 1].Key(notes) : default;
        return ends;
    }

    internal void Clear()
    {
        Count = 0;
        Disorder = 0;
        _areLeavesKnown = false;
    }

    /// <summary>
    /// Finds the leaves of puts in no order before the first of them is made: looking for one need not wait for the change of another, and
    /// what is known ahead is fetched ahead. Damage is thrown as the puts themselves would.
    /// </summary>
    internal void FindLeaves(ReadOnlySpan<byte> notes)
    {
        if (!_areLeavesKnown)
        {
            Verify(notes);
        }
    }

    /// <summary>
    /// Verifies the pages that the puts will look at, so that damage is found while the transaction can still be rolled back; nothing has
    /// changed after an exception.
    /// </summary>
    internal void Verify(ReadOnlySpan<byte> notes)
    {
        trees.BeginNotes();
        Span<NotedPut> puts = _puts.AsSpan(0, Count);
        for (int first = 0, end; first < puts.Length; first = end)
        {
            long root = puts[first].Root;
            end = first + 1;
            while (end < puts.Length && puts[end].Root == root)
            {
                end++;
            }

            trees.FindLeaves(puts[first..end], notes, root, trees.LeafLevel(root, puts[first].Key(notes)));
        }

        _areLeavesKnown = true;
    }

    /// <summary>
    /// Makes all puts in their order and gives them back, each with its result. The batch is empty then, also after an exception, when the
    /// trees may be half changed.
    /// </summary>
    internal ReadOnlySpan<NotedPut> Make(ReadOnlySpan<byte> notes)
    {
        Span<NotedPut> puts = _puts.AsSpan(0, Count);
        bool areLeavesKnown = _areLeavesKnown;
        Clear();
        int runEnd = 0;
        for (int made = 0; made < puts.Length;)
        {
            ref NotedPut put = ref puts[made];
            if (areLeavesKnown)
            {
                Fetch(puts, made);
            }

            if (put.IsAppend || made >= runEnd)
            {
                Span<NotedPut> run = RunOf(puts[made..]);
                runEnd = made + run.Length;
                if (put.IsAppend || (run.Length >= RunWorthAppending && trees.IsAboveAll(put.Root, put.Key(notes))))
                {
                    Append(run, notes);
                    made = runEnd;
                    continue;
                }
            }

            ReadOnlySpan<byte> key = put.Key(notes);
            ReadOnlySpan<byte> value = put.Value(notes);
            put.Added = areLeavesKnown ? trees.PutAt(put.Leaf, put.Root, key, value) : trees.Put(put.Root, key, value);
            made++;
        }

        return puts;
    }

    /// <summary>One step of each leaf that puts soon to be made will change.</summary>
    private void Fetch(ReadOnlySpan<NotedPut> puts, int made)
    {
        for (int step = 1; step <= TreeWriter.FetchSteps && made + (step * Stride) < puts.Length; step++)
        {
            trees.Fetch(puts[made + (step * Stride)].Leaf, TreeWriter.FetchSteps - step);
        }
    }

    /// <summary>The ascending puts into one tree that the puts begin with.</summary>
    private static Span<NotedPut> RunOf(Span<NotedPut> puts)
    {
        int count = 1;
        while (count < puts.Length && puts[count].Follows)
        {
            count++;
        }

        return puts[..count];
    }

    /// <summary>Makes puts of which the first is above all keys of the tree, and each other above the one before.</summary>
    private void Append(Span<NotedPut> run, ReadOnlySpan<byte> notes)
    {
        foreach (ref NotedPut put in run)
        {
            put.Added = true;
        }

        trees.AppendRun(run[0].Root, run, notes);
    }
}

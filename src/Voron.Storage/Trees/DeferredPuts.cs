using Voron.Storage.Format;

namespace Voron.Storage.Trees;

/// <summary>
/// Deferred puts: a write transaction records them first and applies them later, together. They are applied within the transaction when the
/// trees are read, or at its commit, during the journal write if that pays off.
/// </summary>
internal sealed class DeferredPuts(LayeredTreeWriter trees)
{
    internal const int Capacity = 128;

    /// <summary>Distance, in puts, between the steps that prefetch a leaf before its put is applied.</summary>
    private const int Stride = 3;

    /// <summary>Minimum length of an ascending run for which checking "beyond the last key?" pays off.</summary>
    private const int RunWorthAppending = 8;

    private readonly DeferredPut[] _puts = new DeferredPut[Capacity];
    private bool _areLeavesKnown;

    internal int Count { get; private set; }

    internal bool IsFull => Count == Capacity;

    /// <summary>
    /// The number of keys that were below the key before them. Ascending puts share leaves and are applied quickly; puts in random order
    /// wait for memory.
    /// </summary>
    internal int Inversions { get; private set; }

    internal void Add(in DeferredPut put, ReadOnlySpan<byte> notes)
    {
        ref DeferredPut added = ref _puts[Count];
        added = put;
        if (Count > 0)
        {
            ref readonly DeferredPut before = ref _puts[Count - 1];
            int order = put.IsAppend ? 1 : put.Key(notes).SequenceCompareTo(before.Key(notes));
            Inversions += order < 0 ? 1 : 0;
            added.ContinuesRun = order > 0 && put.Root == before.Root;
        }

        Count++;
    }

    /// <summary>
    /// Returns whether the last put is an append to this tree, and if so, the key of that append: the next append only has to be above
    /// it.
    /// </summary>
    internal bool EndsWithAppend(PageNumber root, ReadOnlySpan<byte> notes, out ReadOnlySpan<byte> key)
    {
        bool ends = Count > 0 && _puts[Count - 1].IsAppend && _puts[Count - 1].Root == root;
        key = ends ? _puts[Count - 1].Key(notes) : default;
        return ends;
    }

    internal void Clear()
    {
        Count = 0;
        Inversions = 0;
        _areLeavesKnown = false;
    }

    /// <summary>
    /// Finds the leaves of all puts before the first one is applied, for puts in random order: the search for one leaf need not wait for
    /// the change of another, and leaves that are known early can be prefetched. Throws on damage, as the puts themselves would.
    /// </summary>
    internal void FindLeaves(ReadOnlySpan<byte> notes)
    {
        if (!_areLeavesKnown)
        {
            Verify(notes);
        }
    }

    /// <summary>
    /// Verifies the pages that the puts will read, so that damage is found while the transaction can still be rolled back. After an
    /// exception nothing has changed.
    /// </summary>
    internal void Verify(ReadOnlySpan<byte> notes)
    {
        trees.BeginNotes();
        Span<DeferredPut> puts = _puts.AsSpan(0, Count);
        for (int first = 0, end; first < puts.Length; first = end)
        {
            PageNumber root = puts[first].Root;
            end = first + 1;
            while (end < puts.Length && puts[end].Root == root)
            {
                end++;
            }

            trees.FindLeaves(puts[first..end], notes);
        }

        _areLeavesKnown = true;
    }

    /// <summary>
    /// Applies all puts in order and returns them, each with its result. None is left afterwards, also after an exception; the trees
    /// may then be half changed.
    /// </summary>
    internal ReadOnlySpan<DeferredPut> Make(ReadOnlySpan<byte> notes)
    {
        Span<DeferredPut> puts = _puts.AsSpan(0, Count);
        bool areLeavesKnown = _areLeavesKnown;
        Clear();
        int runEnd = 0;
        for (int made = 0; made < puts.Length;)
        {
            ref DeferredPut put = ref puts[made];
            if (areLeavesKnown)
            {
                Fetch(puts, made);
            }

            if (put.IsAppend || made >= runEnd)
            {
                Span<DeferredPut> run = RunOf(puts[made..]);
                runEnd = made + run.Length;
                if (put.IsAppend || (run.Length >= RunWorthAppending && trees.IsAboveAll(put.Root, put.Key(notes))))
                {
                    trees.AppendRun(put.Root, run, notes);
                    made = runEnd;
                    continue;
                }
            }

            ReadOnlySpan<byte> key = put.Key(notes);
            ReadOnlySpan<byte> value = put.Value(notes);
            put.Added = areLeavesKnown ? trees.PutAt(put, key, value) : trees.Put(put.Root, key, value);
            made++;
        }

        return puts;
    }

    /// <summary>Does one prefetch step for each of the leaves that the next puts will change.</summary>
    private void Fetch(ReadOnlySpan<DeferredPut> puts, int made)
    {
        for (int step = 1; step <= LeafPrefetch.Steps && made + (step * Stride) < puts.Length; step++)
        {
            trees.Fetch(puts[made + (step * Stride)], LeafPrefetch.Steps - step);
        }
    }

    /// <summary>Returns the run of ascending puts into one tree at the start of <paramref name="puts"/>.</summary>
    private static Span<DeferredPut> RunOf(Span<DeferredPut> puts)
    {
        int count = 1;
        while (count < puts.Length && puts[count].ContinuesRun)
        {
            count++;
        }

        return puts[..count];
    }
}

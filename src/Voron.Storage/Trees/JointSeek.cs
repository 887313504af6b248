using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// Descends to one key with the cursors in a tree and in the layers of its pending tree together, in the rounds of
/// <see cref="LookupStep"/>: all of them wait for memory once a round. Each cursor is then in the gap of a leaf where the key belongs, or
/// on its row. Throws on damage, and leaves cursors lost.
/// </summary>
internal static class JointSeek
{
    /// <summary>Trees that are descended into at once: about as many as a core can have cache misses outstanding.</summary>
    private const int AtOnce = 12;

    /// <summary>Descends with the cursors of all layers and that of the tree below them.</summary>
    internal static void Descend(
        PageSource source, TransactionId snapshot, Span<TreeCursor> layers, ref TreeCursor below, scoped ReadOnlySpan<byte> key)
    {
        Span<LookupStep> steps = stackalloc LookupStep[AtOnce];
        for (int first = 0; first <= layers.Length; first += AtOnce)
        {
            int count = Math.Min(AtOnce, layers.Length + 1 - first);
            for (int i = 0; i < count; i++)
            {
                steps[i].Number = first + i;
                steps[i].Page = CursorOf(steps[i], layers, ref below).BeginSeek();
            }

            Descend(source, snapshot, steps[..count], layers, ref below, key);
        }
    }

    private static void Descend(
        PageSource source,
        TransactionId snapshot,
        Span<LookupStep> steps,
        Span<TreeCursor> layers,
        ref TreeCursor below,
        scoped ReadOnlySpan<byte> key)
    {
        int left = steps.Length;
        for (int level = 0; left > 0; level++)
        {
            if (level == TreePath.MaxDepth)
            {
                Throw.TooDeep(steps[0].Page, steps[0].Page);
            }

            foreach (ref LookupStep step in steps[..left])
            {
                step.Read(source, snapshot);
            }

            foreach (ref LookupStep step in steps[..left])
            {
                step.SearchHead(key);
            }

            int branches = 0;
            for (int i = 0; i < left; i++)
            {
                ref LookupStep step = ref steps[i];
                ref TreeCursor cursor = ref CursorOf(step, layers, ref below);
                if (step.Kind == PageKind.Leaf)
                {
                    int place = step.IndexInLeaf(key, out bool exact);
                    cursor.StandInGap(step.Node, level, place, exact);
                    continue;
                }

                int index = step.IndexOfChild(key);
                cursor.StandInBranch(step.Node, level, index);
                step.Page = step.Node.Child(index);
                steps[branches++] = step;
            }

            left = branches;
        }
    }

    private static ref TreeCursor CursorOf(in LookupStep step, Span<TreeCursor> layers, ref TreeCursor below) =>
        ref step.Number == layers.Length ? ref below : ref layers[step.Number];
}

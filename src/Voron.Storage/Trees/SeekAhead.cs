using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// Fetches what a search for one key in a tree and in the layers of its pending tree will read, in the rounds of <see cref="LookupStep"/>:
/// the searches that follow, one tree after another, then need not wait for memory.
/// </summary>
internal static class SeekAhead
{
    /// <summary>Trees that are descended into at once: about as many as a core can have cache misses outstanding.</summary>
    private const int AtOnce = 12;

    /// <summary>Throws on damage, as the searches would.</summary>
    internal static void Fetch(
        PageSource source, TransactionId snapshot, PageNumber root, PendingLayers layers, scoped ReadOnlySpan<byte> key)
    {
        Span<LookupStep> steps = stackalloc LookupStep[AtOnce];
        for (int first = 0; first <= layers.Count; first += AtOnce)
        {
            int count = Math.Min(AtOnce, layers.Count + 1 - first);
            for (int i = 0; i < count; i++)
            {
                steps[i].Page = first + i == layers.Count ? root : layers[first + i];
            }

            Descend(source, snapshot, steps[..count], key);
        }
    }

    private static void Descend(PageSource source, TransactionId snapshot, Span<LookupStep> steps, scoped ReadOnlySpan<byte> key)
    {
        using PageBuffers.Hold held = source.Hold();
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
                if (steps[i].Kind == PageKind.Branch)
                {
                    steps[branches++].Page = steps[i].Child(key);
                }
            }

            left = branches;
        }
    }
}

using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// Chooses where a full node is divided, and the separator between the two parts. Sizes are estimates because prefixes change. That is
/// sufficient: an insertion that does not fit in its part divides that part again, and a single entry always fits.
/// </summary>
internal static class NodeSplit
{
    /// <summary>A branch has at least two entries.</summary>
    private const int FewestChildren = 2;

    /// <summary>
    /// Returns the point that leaves about as many bytes on each side, including the new entry of <paramref name="newBytes"/> bytes at
    /// <paramref name="index"/>.
    /// </summary>
    internal static SplitPoint Balanced(in Node node, int index, int newBytes)
    {
        int count = node.Count;
        int total = newBytes + NodeSlot.SizeBytes;
        for (int i = 0; i < count; i++)
        {
            total += node.EntryBytes(i) + NodeSlot.SizeBytes;
        }

        // Indexes count the new entry too: "at" is the first entry of the right part.
        int left = 0;
        int at = 0;
        while (true)
        {
            int existing = at > index ? at - 1 : at;
            int bytes = at == index ? newBytes : node.EntryBytes(existing);
            int next = left + bytes + NodeSlot.SizeBytes;
            bool isWorse = Math.Abs(total - (2 * next)) > Math.Abs(total - (2 * left));
            if (at > 0 && (isWorse || at == count))
            {
                break;
            }

            left = next;
            at++;
        }

        bool newGoesRight = at <= index;
        return Limit(node, new SplitPoint(newGoesRight ? at : at - 1, newGoesRight), FewestChildren);
    }

    /// <summary>
    /// Returns the point for entries that arrive in ascending order: the left page stays full and the right one begins with the new entry.
    /// In a branch the last child moves right, and the new child follows it.
    /// </summary>
    internal static SplitPoint Append(in Node node) =>
        Limit(node, new SplitPoint(node.Count, NewGoesRight: true), FewestChildren - 1);

    /// <summary>
    /// Writes the separator of the two parts and returns its length. In a leaf it is the shortest key above all keys on the left and not
    /// above any on the right, including the new key; in a branch it is the key of the entry that becomes the right part's first.
    /// </summary>
    /// <param name="node">The node.</param>
    /// <param name="point">Where it is divided.</param>
    /// <param name="index">Where the new entry belongs.</param>
    /// <param name="key">The key of the new entry.</param>
    /// <param name="last">The last key that the new entry stands for.</param>
    /// <param name="spans">Says that of the others; null if it is their key.</param>
    /// <param name="separator">Receives the separator.</param>
    internal static int Separator(
        in Node node,
        SplitPoint point,
        int index,
        ReadOnlySpan<byte> key,
        ReadOnlySpan<byte> last,
        EntrySpan? spans,
        Span<byte> separator)
    {
        if (!node.IsLeaf)
        {
            return node.CopyKey(point.From, separator);
        }

        bool newIsFirstRight = point.NewGoesRight && point.From == index;
        bool newIsLastLeft = !point.NewGoesRight && point.From == index;
        int right = newIsFirstRight
            ? CopyKey(key, separator)
            : node.CopyKey(point.From, separator);
        int shared = newIsLastLeft
            ? last.CommonPrefixLength(separator[..right])
            : NodeBuild.SharedByLast(node, point.From - 1, separator[..right], spans);
        if (shared >= right)
        {
            Throw.OutOfOrder(node.Page, point.From);
        }

        return shared + 1;
    }

    private static int CopyKey(ReadOnlySpan<byte> key, Span<byte> target)
    {
        key.CopyTo(target);
        return key.Length;
    }

    private static SplitPoint Limit(in Node node, SplitPoint point, int fewestRight)
    {
        if (node.IsLeaf)
        {
            return point;
        }

        // A full branch has at least four entries: three separators of the maximum length fit in a page.
        int count = node.Count;
        if (count < 2 * FewestChildren)
        {
            Throw.Overfull(node.Page);
        }

        int from = Math.Clamp(point.From, FewestChildren, count - fewestRight);
        return point with { From = from };
    }
}

using Voron.Storage.Format;
using Voron.Storage.Trees;
using Voron.Storage.Versions;

namespace Voron.Storage.Rescue;

/// <summary>Visits the entries of one tree, or of what is below one page, past everything that cannot be read.</summary>
internal sealed class SalvageWalk(
    PageSource source,
    TransactionId snapshot,
    byte[] tree,
    PageNumber root,
    Action<SalvageRange, string> lose,
    HashSet<PageNumber> reached,
    CancellationToken cancellation)
{
    private const int MaxDepth = 24;

    /// <summary>An entry with its value, or with the pieces of one that is longer than a span; all of them are readable.</summary>
    internal delegate void Visitor(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, ReadOnlySpan<OverflowReference> pieces);

    internal void Run(Visitor visitor) => Visit(root, 0, null, null, visitor);

    private void Visit(PageNumber page, int depth, byte[]? low, byte[]? high, Visitor visitor)
    {
        cancellation.ThrowIfCancellationRequested();
        if (page < FormatConstants.CatalogRootPage || depth > MaxDepth || reached.Contains(page))
        {
            Lose(page, low, high, "it cannot be a page of this tree");
            return;
        }

        using PageBuffers.Hold held = source.Hold();
        if (!SalvageOrphans.TryOpen(source, page, snapshot, out NodeReader node, out string problem))
        {
            Lose(page, low, high, problem);
            return;
        }

        reached.Add(page);
        for (int i = 0; i < node.Count; i++)
        {
            if (node.TryGetEntry(i, out NodeEntry entry) is { } bad)
            {
                Lose(page, low, high, bad);
                continue;
            }

            byte[] key = node.KeyOf(i, entry);
            if (node.Kind == PageKind.Branch)
            {
                byte[]? next = i + 1 < node.Count && node.TryGetEntry(i + 1, out NodeEntry after) is null ? node.KeyOf(i + 1, after) : high;
                Visit(entry.Child, depth + 1, i == 0 ? low : key, next, visitor);
            }
            else
            {
                VisitEntry(page, key, entry, visitor);
            }
        }
    }

    private void VisitEntry(PageNumber page, byte[] key, in NodeEntry entry, Visitor visitor)
    {
        using PageBuffers.Hold held = source.Hold();
        ReadOnlySpan<byte> value = entry.Value;
        ReadOnlySpan<OverflowReference> pieces = default;
        if (entry.IsOverflow)
        {
            try
            {
                if (entry.Overflow.IsList)
                {
                    pieces = ReachPieces(entry.Overflow);
                }
                else
                {
                    value = Reach(entry.Overflow);
                }
            }
            catch (StorageException error) when (error.IsOfDamage)
            {
                Lose(entry.Overflow.FirstPage, key, [.. key, 0], $"the value of one key of page {page}: {error.Message}");
                return;
            }
        }

        visitor(key, value, pieces);
    }

    private ReadOnlySpan<OverflowReference> ReachPieces(OverflowReference list)
    {
        ReadOnlySpan<OverflowReference> pieces = source.ReadList(list, snapshot);
        reached.Add(list.FirstPage);
        foreach (OverflowReference piece in pieces)
        {
            using PageBuffers.Hold held = source.Hold();
            Reach(piece);
        }

        return pieces;
    }

    private ReadOnlySpan<byte> Reach(OverflowReference run)
    {
        ReadOnlySpan<byte> value = source.ReadOverflow(run, snapshot);
        reached.Add(run.FirstPage);
        return value;
    }

    private void Lose(PageNumber page, byte[]? low, byte[]? high, string problem) =>
        lose(new SalvageRange(tree, page, low, high), problem);
}

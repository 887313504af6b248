using System.Diagnostics.CodeAnalysis;
using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Trees;
using Voron.Storage.Versions;

namespace Voron.Storage.Rescue;

/// <summary>Valid nodes in use that no readable page leads to.</summary>
internal sealed class SalvageOrphans(PageSource source, TransactionId snapshot, HashSet<PageNumber> reached)
{
    private readonly SpaceLayout _layout = new(source.PageBytes);

    /// <summary>The topmost of them, in page order.</summary>
    internal List<PageNumber> FindRoots(CancellationToken cancellation)
    {
        List<PageNumber> nodes = [];
        HashSet<PageNumber> children = [];
        for (PageNumber page = FormatConstants.CatalogRootPage; page < source.Mapped.EndPage; page++)
        {
            cancellation.ThrowIfCancellationRequested();
            using PageBuffers.Hold held = source.Hold();
            if (!reached.Contains(page) && IsInUse(page) && TryOpen(source, page, snapshot, out NodeReader node) && IsOfSnapshot(node))
            {
                nodes.Add(page);
                AddChildren(node, children);
            }
        }

        nodes.RemoveAll(children.Contains);
        return nodes;
    }

    internal static bool TryOpen(PageSource source, PageNumber page, TransactionId snapshot, out NodeReader node) =>
        TryOpen(source, page, snapshot, out node, out _);

    /// <summary>Never throws for damage.</summary>
    internal static bool TryOpen(PageSource source, PageNumber page, TransactionId snapshot, out NodeReader node, out string problem)
    {
        node = default;
        try
        {
            problem = NodeReader.TryOpen(source.Read(page, snapshot), source.PageBytes, out node) ?? string.Empty;
            return problem.Length == 0;
        }
        catch (StorageException error) when (error.IsOfDamage)
        {
            problem = error.Message;
            return false;
        }
    }

    /// <summary>Returns the first key of the leaf that first entries lead to.</summary>
    internal static bool TryFirstKey(PageSource source, PageNumber page, TransactionId snapshot, [NotNullWhen(true)] out byte[]? key)
    {
        const int MaxDepth = 24;
        key = null;
        using PageBuffers.Hold held = source.Hold();
        for (int depth = 0; depth < MaxDepth && TryOpen(source, page, snapshot, out NodeReader node) && node.Count > 0; depth++)
        {
            if (node.TryGetEntry(0, out NodeEntry entry) is not null)
            {
                return false;
            }

            if (node.Kind == PageKind.Leaf)
            {
                key = node.KeyOf(0, entry);
                return true;
            }

            page = entry.Child;
        }

        return false;
    }

    private static void AddChildren(in NodeReader node, HashSet<PageNumber> children)
    {
        for (int i = 0; node.Kind == PageKind.Branch && i < node.Count; i++)
        {
            if (node.TryGetEntry(i, out NodeEntry entry) is null)
            {
                children.Add(entry.Child);
            }
        }
    }

    /// <summary>
    /// Whether a page belongs to the snapshot: one of a later transaction was written by a checkpoint that did not complete. Without a
    /// snapshot all count.
    /// </summary>
    private bool IsOfSnapshot(in NodeReader node) => snapshot == TransactionId.None || node.TransactionId <= snapshot;

    /// <summary>
    /// Whether a page is in use: free pages keep their old content. If the space map cannot be read, every page counts as in use.
    /// </summary>
    private bool IsInUse(PageNumber page)
    {
        try
        {
            int bit = _layout.BitOf(page);
            return (SpaceMap.ReadWords(source, _layout, _layout.GroupOf(page), snapshot)[bit >> 6] >> (bit & 63) & 1) != 0;
        }
        catch (StorageException error) when (error.IsOfDamage)
        {
            return true;
        }
    }
}

using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Trees;

namespace Voron.Storage.Transactions;

/// <summary>
/// Moves pages of trees in a transaction that changes nothing else. Its record is empty: recovery, which makes the changes of callers once
/// more, places pages itself. A checkpoint that has the moved pages has the trees that lead to them.
/// </summary>
internal sealed class PageMoves(PageWriter pages, LayeredTreeWriter trees, OpenTreeTable open)
{
    private TreeMove? _made;

    /// <summary>Made when pages are moved for the first time: few environments ever do.</summary>
    private TreeMove Mover => _made ??= new TreeMove(pages);

    /// <summary>
    /// Moves pages of a tree from a key on. The root is moved with the first of them; that of a tree with pending entries stays, since they
    /// are found by it.
    /// </summary>
    /// <param name="name">The tree's name; empty for the catalog.</param>
    /// <param name="from">The key to begin with; may be in <paramref name="next"/>.</param>
    /// <param name="bounds">What to move, and how much.</param>
    /// <param name="next">Gets the key to go on with.</param>
    internal MoveResult Some(ReadOnlySpan<byte> name, ReadOnlySpan<byte> from, in MoveBounds bounds, byte[] next)
    {
        PageNumber root = FormatConstants.CatalogRootPage;
        int moved = 0;
        if (!name.IsEmpty)
        {
            if (!Catalog.TryFind(pages.Source, pages.TransactionId, name, out TreeRecord record))
            {
                // It was dropped.
                return default;
            }

            root = record.RootPage;
            if (bounds.IsBeyond(root) && trees.Pending.Of(root) is null)
            {
                root = MoveRoot(name, record);
                moved = root == record.RootPage ? 0 : 1;
            }
        }

        MoveResult result = Mover.Some(root, from, bounds, next);
        trees.Forget();
        return result with { Moved = result.Moved + moved };
    }

    private PageNumber MoveRoot(ReadOnlySpan<byte> name, in TreeRecord record)
    {
        PageNumber root = Mover.MoveRoot(record.RootPage);
        if (root != record.RootPage)
        {
            int index = open.Find(name);
            ref OpenTree tree = ref open[index < 0 ? open.Add(name, record) : index];
            tree.Root = root;

            // So the commit writes its record.
            tree.CountChanged = true;
        }

        return root;
    }
}

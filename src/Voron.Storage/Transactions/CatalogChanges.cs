using Voron.Storage.Format;

namespace Voron.Storage.Transactions;

/// <summary>
/// A write transaction's changes to the catalog: trees that are created, renamed and dropped, and the records of the others.
/// </summary>
internal sealed class CatalogChanges(TreeChanges changes, TransactionRedo redo, OpenTreeTable open)
{
    /// <summary>
    /// Called before the first change that needs a feature of the format, with whether it is only replayed. A build that does not know the
    /// feature must be told by the header slot, so the slot is durable when this returns.
    /// </summary>
    internal Action<FormatFeatures, bool>? BeforeFeature { get; set; }

    /// <summary>Creates an empty tree and returns its index.</summary>
    internal int Create(ReadOnlySpan<byte> name, TreeShape shape)
    {
        if (shape.Feature != FormatFeatures.None)
        {
            BeforeFeature?.Invoke(shape.Feature, redo.IsReplay);
        }

        redo.CreateTree(shape, name);
        TreeRecord record = new() { Shape = shape, RootPage = changes.Trees.CreateRoot() };
        Catalog.Write(changes.Trees, name, record);
        return open.Add(name, record, isNew: true);
    }

    internal void Rename(int index, ReadOnlySpan<byte> name, ReadOnlySpan<byte> newName)
    {
        changes.ApplyDeferred();
        ref OpenTree tree = ref open[index];
        redo.RenameTree(name, newName);
        tree.Grew(changes.Pending.End(tree.Root));
        changes.Trees.Delete(FormatConstants.CatalogRootPage, name);
        Write(newName, tree, pending: null);
        tree.CountChanged = false;
        open.Rename(index, newName);
    }

    internal void Drop(int index)
    {
        changes.ApplyDeferred();
        ref OpenTree tree = ref open[index];

        // The caller's name may be in a page of this very tree.
        ReadOnlySpan<byte> name = open.NameOf(index);
        redo.DropTree(name);
        changes.Trees.DropTree(tree.Root);
        changes.Trees.Delete(FormatConstants.CatalogRootPage, name);
        tree.Dropped = true;
        tree.Version++;
    }

    internal void Write(ReadOnlySpan<byte> name, in OpenTree tree, PendingTree? pending)
    {
        TransactionId since = pending?.Since ?? TransactionId.None;
        TreeRecord record = new() { Shape = tree.Shape, RootPage = tree.Root, EntryCount = tree.Count, PendingSince = since };
        Catalog.Write(changes.Trees, name, record, pending);
    }
}

using System.Runtime.InteropServices;
using System.Text;
using Voron.Storage.Format;
using Voron.Storage.Recovery;
using Voron.Storage.Structures;
using Voron.Storage.Trees;
using Voron.Storage.Versions;

namespace Voron.Storage.Rescue;

/// <summary>
/// Copies the trees of a damaged database. What is connected is walked from the catalog. After an unreadable page, pages that nothing
/// leads to are searched, and added to the one tree whose lost keys they fit or, if that is not clear, to a tree named after their page.
/// </summary>
internal sealed class SalvageTrees(PageSource source, TransactionId snapshot, SalvageTarget target, CancellationToken cancellation)
{
    private static readonly byte[] CatalogName = [];

    private readonly List<SalvageRange> _lost = [];
    /// <summary>Names with one char for each byte: they need not be text.</summary>
    private readonly HashSet<string> _names = [];

    /// <summary>The records of the trees, by the same names.</summary>
    private readonly Dictionary<string, TreeRecord> _shapes = [];

    internal void Run()
    {
        SalvageWalk catalog = Walk(CatalogName, FormatConstants.CatalogRootPage);
        catalog.Run(CopyTree);
        if (_lost.Count > 0)
        {
            CopyOrphans();
        }
    }

    private SalvageWalk Walk(byte[] tree, PageNumber root) => new(source, snapshot, tree, root, Lose, Reached, cancellation);

    private HashSet<PageNumber> Reached { get; } = [];

    /// <summary>Trees of which entries were pending, by their names, and since which transaction.</summary>
    internal Dictionary<string, TransactionId> PendingSince { get; } = [];

    private void Lose(SalvageRange range, string problem)
    {
        _lost.Add(range);
        bool isCatalog = range.Tree.Length == 0;
        string of = isCatalog ? "the catalog" : $"tree '{KeyText.Of(range.Tree)}'";
        target.Lose(
            isCatalog ? null : KeyText.Of(range.Tree),
            range.Page,
            $"Page {range.Page} of {of} is unreadable ({problem}); its {range} are lost unless they are found elsewhere.");
    }

    /// <summary>A row of the catalog.</summary>
    private void CopyTree(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, ReadOnlySpan<OverflowReference> pieces)
    {
        if (!TreeRecord.TryRead(value, out TreeRecord record) || name.Length is 0 or > FormatConstants.MaxNameBytes)
        {
            string what = KeyText.Of(name);
            target.Lose(what, $"The catalog's record of tree '{what}' is no tree record.");
            return;
        }

        byte[] tree = name.ToArray();
        _names.Add(Encoding.Latin1.GetString(tree));
        if (!record.Shape.IsPossible)
        {
            target.Lose(KeyText.Of(name), $"The tree '{KeyText.Of(name)}' is {record.Shape}, which this build does not know.");
            return;
        }

        target.Create(tree, record.Shape);
        _shapes[Encoding.Latin1.GetString(tree)] = record;
        if (record.PendingSince != TransactionId.None)
        {
            PendingSince[Encoding.Latin1.GetString(tree)] = record.PendingSince;
        }

        CopyEntries(tree, record.RootPage, onlyIfAbsent: false);
    }

    private void CopyEntries(byte[] tree, PageNumber root, bool onlyIfAbsent) => Walk(tree, root).Run((key, value, pieces) =>
    {
        _shapes.TryGetValue(Encoding.Latin1.GetString(tree), out TreeRecord record);
        if (record.Kind == TreeKind.Multi)
        {
            CopyBlock(tree, record, key, value);
        }
        else if (record.Kind == TreeKind.Fixed)
        {
            CopyColumns(tree, record.Shape, value);
        }
        else if (pieces.IsEmpty)
        {
            target.Put(tree, key, value, onlyIfAbsent);
        }
        else
        {
            target.PutPieces(tree, key, pieces, source, snapshot, onlyIfAbsent);
        }
    });

    private void CopyBlock(byte[] tree, TreeRecord record, ReadOnlySpan<byte> entryKey, ReadOnlySpan<byte> rest)
    {
        try
        {
            int keyBytes = MultiKey.LengthIn(entryKey, record.RootPage);
            byte[] key = MultiKey.Read(entryKey[..keyBytes], new byte[keyBytes]).ToArray();
            target.AddPair(tree, key, entryKey[keyBytes..]);
            PackedValues values = new(rest, record.ValueBytes, record.RootPage);
            for (int at = 0; at < rest.Length;)
            {
                target.AddPair(tree, key, values.Take(ref at));
            }
        }
        catch (Exception error) when (error is StorageCorruptException || Replay.IsImpossible(error))
        {
            target.Lose(KeyText.Of(tree), $"A block of values of tree '{KeyText.Of(tree)}' is damaged; some of its pairs are lost.");
        }
    }

    private void CopyColumns(byte[] tree, TreeShape shape, ReadOnlySpan<byte> value)
    {
        if (!FixedColumns.TryOpen(value, shape, out FixedColumns block))
        {
            target.Lose(KeyText.Of(tree), $"A block of columns of tree '{KeyText.Of(tree)}' is damaged; its entries are lost.");
            return;
        }

        Span<byte> key = stackalloc byte[FixedKey.MostBytes];
        for (int i = 0; i < block.Count; i++)
        {
            ReadOnlySpan<byte> ordered = key[..block.WriteKey(i, key)];
            if (FixedKey.IsNormal(shape.KeyKind, ordered))
            {
                target.AddFixed(tree, ordered, block.Value(i));
            }
            else
            {
                target.Lose(KeyText.Of(tree), $"A key of tree '{KeyText.Of(tree)}' is damaged; its entry is lost.");
            }
        }
    }

    private void CopyOrphans()
    {
        SalvageOrphans orphans = new(source, snapshot, Reached);
        foreach (PageNumber root in orphans.FindRoots(cancellation))
        {
            if (IsCatalogLeaf(root))
            {
                Walk(CatalogName, root).Run((name, value, pieces) =>
                {
                    if (!_names.Contains(Encoding.Latin1.GetString(name)))
                    {
                        CopyTree(name, value, pieces);
                    }
                });
            }
        }

        // Trees that were just found include their pages.
        foreach (PageNumber root in orphans.FindRoots(cancellation))
        {
            byte[] tree = HomeOf(root) ?? Encoding.UTF8.GetBytes($"lost+found/page-{root}");
            CopyEntries(tree, root, onlyIfAbsent: true);
        }
    }

    /// <summary>
    /// Whether this is a leaf of the catalog, which is recognized by its values: each is a tree record whose root is a readable node.
    /// </summary>
    private bool IsCatalogLeaf(PageNumber page)
    {
        using PageBuffers.Hold held = source.Hold();
        if (!_lost.Exists(static range => range.Tree.Length == 0)
            || !SalvageOrphans.TryOpen(source, page, snapshot, out NodeReader node)
            || node.Kind != PageKind.Leaf)
        {
            return false;
        }

        for (int i = 0; i < node.Count; i++)
        {
            if (node.TryGetEntry(i, out NodeEntry entry) is not null
                || entry.IsOverflow
                || !TreeRecord.TryRead(entry.Value, out TreeRecord record)
                || record is not { Shape.IsPossible: true, Reserved1: 0 }
                || !SalvageOrphans.TryOpen(source, record.RootPage, snapshot, out _))
            {
                return false;
            }
        }

        return node.Count > 0;
    }

    /// <summary>
    /// Returns the tree that lost the keys among which the first one below this page belongs; null if none or several did.
    /// </summary>
    private byte[]? HomeOf(PageNumber root)
    {
        if (!SalvageOrphans.TryFirstKey(source, root, snapshot, out byte[]? key))
        {
            return null;
        }

        byte[][] homes = [.. _lost.Where(range => range.Tree.Length > 0 && range.Contains(key)).Select(static range => range.Tree)];
        bool hasCatalogLost = _lost.Exists(static range => range.Tree.Length == 0);
        return homes.Length == 1 && !hasCatalogLost ? homes[0] : null;
    }
}

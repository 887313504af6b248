using System.Buffers;
using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>Makes lower layers of pending trees: copies of full tops in spill files, in full pages.</summary>
internal sealed class LayerCopy(PageWriter pages, TreeWriter above)
{
    private const int NotesBytes = 64 << 10;

    /// <summary>A node that grows leaves shorter blocks behind, for which a file has room as well.</summary>
    private const int SparePages = 8;

    private readonly DeferredPut[] _puts = new DeferredPut[DeferredPuts.Capacity];
    private readonly byte[] _notes = new byte[NotesBytes];
    private int _count;
    private int _noted;

    /// <summary>Makes a layer that has what a top has; false if there can be no file for it.</summary>
    internal bool TryMake(PageNumber top, long mostBytes, out PendingLayer layer)
    {
        VersionTable versions = pages.Source.Versions;
        using (versions.Gate.Hold())
        {
            if (!versions.Memory.Spills.TryBeginLayer(mostBytes + (mostBytes / 4) + (SparePages * pages.PageBytes)))
            {
                layer = null!;
                return false;
            }
        }

        pages.InMemory.MakesLayer = true;
        try
        {
            PageNumber root = above.CreateRoot(inMemory: true);
            LayerFilters filters = pages.Source.Pending.Filters.ForLayer(CountRows(top));
            layer = new PendingLayer(root, filters, filters.Begin());
            CopyRows(top, layer);
            return true;
        }
        finally
        {
            pages.InMemory.MakesLayer = false;
            using (versions.Gate.Hold())
            {
                versions.Memory.Spills.EndLayer(pages.TransactionId);
            }
        }
    }

    private int CountRows(PageNumber root)
    {
        byte[] buffer = TreeCursor.RentBuffer(pages.Source);
        TreeCursor rows = new(pages.Source, pages.TransactionId, root, buffer, remembersKey: false);
        int count = 0;
        while (rows.MoveNext())
        {
            count++;
        }

        ArrayPool<byte>.Shared.Return(buffer);
        return count;
    }

    private void CopyRows(PageNumber from, PendingLayer layer)
    {
        PageNumber to = layer.Root;
        _count = 0;
        _noted = 0;
        byte[] buffer = TreeCursor.RentBuffer(pages.Source);
        TreeCursor rows = new(pages.Source, pages.TransactionId, from, buffer, remembersKey: false);
        for (bool has = rows.MoveFirst(); has; has = rows.MoveNext())
        {
            ReadOnlySpan<byte> key = rows.Key;
            rows.IsOverflow(out ReadOnlySpan<byte> stored);
            if (_count == _puts.Length || _notes.Length - _noted < key.Length + stored.Length)
            {
                Append(to);
            }

            key.CopyTo(_notes.AsSpan(_noted));
            stored.CopyTo(_notes.AsSpan(_noted + key.Length));
            _puts[_count++] = new DeferredPut { Root = to, KeyOffset = _noted, KeyLength = key.Length, ValueLength = stored.Length };
            _noted += key.Length + stored.Length;
            layer.Filters.Add(layer.Number, KeyFilter.HashOf(key));
        }

        Append(to);
        above.Forget();
        ArrayPool<byte>.Shared.Return(buffer);
    }

    private void Append(PageNumber to)
    {
        if (_count > 0)
        {
            above.BeginNotes();
            above.AppendRun(to, _puts.AsSpan(0, _count), _notes);
        }

        _count = 0;
        _noted = 0;
    }
}

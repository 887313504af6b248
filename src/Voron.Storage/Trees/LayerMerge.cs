using System.Buffers;
using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// Moves the pending entries of all layers to the leaves, range by range, in each range those of the lowest layer first: the last one of
/// each key counts.
/// </summary>
internal sealed class LayerMerge(PageWriter pages, TreeWriter below, TreeWriter above)
{
    private readonly LeafMerge _merge = new(pages, below, above);
    private readonly byte[] _from = new byte[below.MaxKeyBytes + 1];

    /// <summary>The key before which a step ends.</summary>
    private readonly byte[] _end = new byte[below.MaxKeyBytes + 1];
    private readonly byte[] _last = new byte[below.MaxKeyBytes + 1];

    /// <inheritdoc cref="LeafMerge.Some"/>
    internal MergeResult Some(PageNumber root, PendingLayers pending, ReadOnlySpan<byte> from, int entries, byte[] next)
    {
        if (pending.Lower.Length == 0)
        {
            return _merge.Some(root, pending.Top, from, entries, next);
        }

        int moved = 0;
        int added = 0;
        int endBytes = from.Length;
        from.CopyTo(_end);
        MergeResult step;
        do
        {
            int fromBytes = endBytes;
            _end.AsSpan(0, fromBytes).CopyTo(_from);
            step = Step(root, pending, _from.AsSpan(0, fromBytes), Math.Max(1, entries / pending.Count));
            moved += step.Moved;
            added += step.Added;
            endBytes = step.NextBytes;
        }
        while (moved < entries && endBytes > 0 && step.Damage is null);
        _end.AsSpan(0, endBytes).CopyTo(next);
        return step with { Moved = moved, Added = added };
    }

    /// <summary>Moves what all layers have from a key on, up to one before which no layer has more entries than this.</summary>
    private MergeResult Step(PageNumber root, PendingLayers pending, ReadOnlySpan<byte> from, int entries)
    {
        int moved = 0;
        int added = 0;
        StorageException? damage = null;
        int endBytes = FindEnd(pending, from, entries);
        int nextBytes = endBytes;
        for (int i = pending.Count - 1; i >= 0 && (endBytes > 0 || damage is null); i--)
        {
            MergeResult result = _merge.Part(root, pending[i], from, _end.AsSpan(0, endBytes), _last);
            moved += result.Moved;
            added += result.Added;
            if (result.Damage is not null)
            {
                // An upper layer does not even take the key at which this one ended: otherwise what stays here would hide what is newer.
                damage ??= result.Damage;
                endBytes = _merge.LastBytes;
                nextBytes = endBytes + 1;
                _last.AsSpan(0, nextBytes).CopyTo(_end);
            }
        }

        return new MergeResult(moved, added, nextBytes, damage);
    }

    /// <inheritdoc cref="LeafMerge.All"/>
    internal int All(PageNumber root, PendingLayers pending, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to)
    {
        int added = 0;
        for (int i = pending.Count - 1; i >= 0; i--)
        {
            added += _merge.All(root, pending[i], from, to);
        }

        return added;
    }

    /// <summary>
    /// Finds the first key from which on some layer has more than this many entries, counted from a key; returns its length, 0 if no layer
    /// has.
    /// </summary>
    private int FindEnd(PendingLayers pending, ReadOnlySpan<byte> from, int entries)
    {
        byte[] buffer = TreeCursor.RentBuffer(pages.Source);
        int endBytes = 0;
        bool isFound = false;
        for (int i = 0; i < pending.Count; i++)
        {
            TreeCursor rows = new(pages.Source, pages.TransactionId, pending[i], buffer, remembersKey: false);
            bool has = rows.Seek(from);
            for (int passed = 0; has && passed < entries; passed++)
            {
                has = rows.MoveNext();
            }

            if (has && (!isFound || rows.Key.SequenceCompareTo(_end.AsSpan(0, endBytes)) < 0))
            {
                isFound = true;
                endBytes = rows.Key.Length;
                rows.Key.CopyTo(_end);
            }
        }

        ArrayPool<byte>.Shared.Return(buffer);
        return endBytes;
    }
}

namespace Voron.Storage.Versions;

/// <summary>
/// Makes the filters of pending trees, if possible from those that no snapshot sees any more: their arrays are so long that the runtime
/// would collect them late. Requires the writer lock.
/// </summary>
internal sealed class FilterPool
{
    /// <summary>The filter that takes layers.</summary>
    private LayerFilters? _current;
    private KeyFilter? _spareKeys;

    /// <summary>A round of merges ends several at once.</summary>
    private readonly Stack<LayerFilters> _spareLayers = new();

    /// <summary>Returns an empty filter with room for this number of keys.</summary>
    internal KeyFilter ForKeys(int keys)
    {
        KeyFilter? spare = _spareKeys;
        _spareKeys = null;
        if (spare?.IsFor(keys) != true)
        {
            return new KeyFilter(keys);
        }

        spare.Clear();
        return spare;
    }

    /// <summary>Returns a filter to which a layer with this number of keys can be added.</summary>
    internal LayerFilters ForLayer(int keys)
    {
        while (_current?.IsFor(keys) != true && _spareLayers.TryPop(out _current))
        {
            _current.Clear();
        }

        // The next layer may have somewhat more keys.
        return _current ??= new LayerFilters(keys + (keys / 16));
    }

    /// <summary>Keeps filters of pending trees that no snapshot sees any more, for new ones; none if no pending tree is left.</summary>
    /// <param name="removed">The pending trees that were removed.</param>
    /// <param name="left">All others: what they use is in use.</param>
    internal void Collect(ReadOnlySpan<PendingRoot> removed, PendingRoot[] left)
    {
        foreach (PendingRoot one in removed)
        {
            Keep(one.Layers.Keys.Now, left);
            Keep(one.Layers.Keys.Before, left);
            foreach (PendingLayer layer in one.Layers.Lower)
            {
                Keep(layer.Filters, left);
            }
        }

        if (left.Length == 0)
        {
            _current = null;
            _spareKeys = null;
            _spareLayers.Clear();
        }
    }

    private void Keep(KeyFilter? filter, PendingRoot[] left)
    {
        if (filter is not null && !Array.Exists(left, one => one.Layers.Keys.Now == filter || one.Layers.Keys.Before == filter))
        {
            _spareKeys = filter;
        }
    }

    private void Keep(LayerFilters filter, PendingRoot[] left)
    {
        if (filter != _current && !_spareLayers.Contains(filter)
            && !Array.Exists(left, one => Array.Exists(one.Layers.Lower, layer => layer.Filters == filter)))
        {
            _spareLayers.Push(filter);
        }
    }
}

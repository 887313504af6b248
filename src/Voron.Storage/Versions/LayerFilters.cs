namespace Voron.Storage.Versions;

/// <summary>
/// The filters of up to eight layers of pending trees in one, as <see cref="KeyFilter"/> each: one line of the processor's caches tells of
/// all of them whether they may have a key. Each byte of a line has a bit of each layer.
/// </summary>
/// <param name="keysOfLayer">It has room for layers of this number of keys.</param>
internal sealed class LayerFilters(int keysOfLayer)
{
    private const int MostLayers = 8;
    private const int BytesPerKey = 16;
    private const int BytesPerLine = 64;
    private const int BytesOfKey = 6;
    private const int PlaceBits = 6;

    /// <summary>A layer with fewer keys than this part of what there is room for has filters of its own.</summary>
    private const int LeastPart = 4;

    private readonly HashedLines<byte> _lines = new((((ulong)keysOfLayer * BytesPerKey) / BytesPerLine) + 1);
    private int _layers;

    /// <summary>Whether another layer with this number of keys should be added.</summary>
    internal bool IsFor(int keys) => _layers < MostLayers && keys <= keysOfLayer && keys >= keysOfLayer / LeastPart;

    /// <summary>
    /// Begins another layer and returns its number. The number is not given again before all are removed: snapshots may still look at it.
    /// </summary>
    internal int Begin() => _layers++;

    /// <summary>Adds a key of a layer. One thread at a time adds, and others may look up keys in other layers meanwhile.</summary>
    internal void Add(int layer, ulong hash)
    {
        Span<byte> line = _lines[hash];
        ulong places = HashedLines<byte>.PlacesOf(hash);
        for (int i = 0; i < BytesOfKey; i++, places >>= PlaceBits)
        {
            line[(int)places & (BytesPerLine - 1)] |= (byte)(1 << layer);
        }
    }

    /// <summary>Removes all layers, of which no snapshot sees any.</summary>
    internal void Clear()
    {
        _lines.Clear();
        _layers = 0;
    }

    /// <summary>Returns which layers may have a key: a bit for each, by its number.</summary>
    internal uint Find(ulong hash)
    {
        ReadOnlySpan<byte> line = _lines[hash];
        ulong places = HashedLines<byte>.PlacesOf(hash);
        uint all = byte.MaxValue;
        for (int i = 0; i < BytesOfKey; i++, places >>= PlaceBits)
        {
            all &= line[(int)places & (BytesPerLine - 1)];
        }

        return all;
    }
}

namespace Voron.Storage.Transactions;

/// <summary>Bounds of pending trees.</summary>
/// <param name="Bytes">Memory that they may use.</param>
/// <param name="LayerBytes">Bytes of their lower layers in files; 0 for no such layers.</param>
/// <param name="Chunks">How many commit chunks are kept at most for what is pending, about; a recovery has to read them.</param>
/// <param name="EndOneIn">
/// For tests: each tree gets a pending tree at its first change, and one transaction in this many ends them all. Otherwise 0: only trees
/// that outgrow the memory get one, until the database is idle.
/// </param>
internal readonly record struct PendingLimits(long Bytes, long LayerBytes, long Chunks, long EndOneIn)
{
    /// <summary>Memory of an entry, about.</summary>
    private const int BytesPerEntry = 128;

    internal bool IsAlways => EndOneIn > 0;

    /// <summary>Bytes of lower layers where puts look no key up, so that more of them cost only readers.</summary>
    internal long BlindLayerBytes => LayerBytes / 3 * 5;

    /// <summary>How many keys the memory of pending trees has room for, about.</summary>
    internal int MostKeys => (int)Math.Min(Bytes / BytesPerEntry, int.MaxValue);
}

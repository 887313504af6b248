namespace Voron.Storage.Transactions;

/// <summary>Trees that the engine keeps for itself: no caller opens them, and they are in no list, dump, copy or feed.</summary>
internal static class InternalTrees
{
    /// <summary>The named positions up to which consumers have read the changes: the name, and a transaction id of 8 bytes.</summary>
    internal static ReadOnlySpan<byte> Feeds => "@feeds"u8;

    internal static bool Contains(ReadOnlySpan<byte> name) => name.SequenceEqual(Feeds);
}

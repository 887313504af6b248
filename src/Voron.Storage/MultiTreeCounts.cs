namespace Voron.Storage;

/// <summary>
/// Counts the values of a key. Beside the property of the same name, which counts all pairs, these can only be extensions.
/// </summary>
public static class MultiTreeCounts
{
    /// <summary>Returns the number of values of a key. Reads the lengths of their blocks, not the values.</summary>
    public static long Count(this ReadMultiTree tree, scoped ReadOnlySpan<byte> key) => tree.CountOf(key);

    /// <summary>Returns the number of values of a key, including this transaction's changes.</summary>
    public static long Count(this MultiTree tree, scoped ReadOnlySpan<byte> key) => tree.AsReadMultiTree().CountOf(key);
}

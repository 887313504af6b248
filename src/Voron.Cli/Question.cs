namespace Voron.Cli;

/// <summary>Which entries of a tree are listed: those with a prefix, or those from one key on and below another one.</summary>
internal sealed record Question(byte[]? Prefix, byte[]? From, byte[]? To, bool IsReverse, long Limit, bool IsKeysOnly)
{
    /// <summary>The first key that counts.</summary>
    internal byte[] Low => Prefix ?? From ?? [];

    /// <summary>The first key that counts no more; null when all up to the last one do.</summary>
    internal byte[]? High => Prefix is null ? To : After(Prefix);

    /// <summary>True when every entry of the tree is asked for.</summary>
    internal bool IsWholeTree => Prefix is null && From is null && To is null;

    /// <summary>The smallest key above all that begin with a prefix; null when there is none.</summary>
    private static byte[]? After(byte[] prefix)
    {
        int last = prefix.AsSpan().LastIndexOfAnyExcept((byte)0xFF);
        if (last < 0)
        {
            return null;
        }

        byte[] after = prefix[..(last + 1)];
        after[last]++;
        return after;
    }
}

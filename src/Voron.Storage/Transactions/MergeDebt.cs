namespace Voron.Storage.Transactions;

/// <summary>
/// How many pending entries commits have yet to merge. Each owes a few more than it adds. While versions of pages fill the memory and a
/// checkpoint writes them, nothing is merged: an entry that stays pending takes less memory than the page that it would change. Later
/// commits make up for that, each with as many again as it owes itself, so that none of them takes long.
/// </summary>
/// <param name="leastOwn">What a commit owes that adds nothing.</param>
internal sealed class MergeDebt(int leastOwn)
{
    /// <summary>More is not remembered.</summary>
    private const int Most = 1 << 20;

    private int _entries;

    /// <summary>Forgets the debt: no merge is due.</summary>
    internal void Clear() => _entries = 0;

    /// <summary>Adds what a commit owes, and returns how many entries it merges; 0 for none.</summary>
    /// <param name="puts">Puts of the commit.</param>
    /// <param name="least">Fewer are not worth a merge.</param>
    /// <param name="isMemoryFull">Whether versions of pages fill the memory.</param>
    internal int Take(int puts, int least, bool isMemoryFull)
    {
        int own = puts + (puts / 4) + leastOwn;
        _entries = Math.Min(_entries, Most) + own;
        if (_entries < least || isMemoryFull)
        {
            return 0;
        }

        int now = (int)Math.Min(_entries, Math.Max(2L * own, least));
        _entries -= now;
        return now;
    }
}

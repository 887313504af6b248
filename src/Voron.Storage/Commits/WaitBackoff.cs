namespace Voron.Storage.Commits;

/// <summary>
/// Decides which waits of a kind are skipped: after one that did not pay 1, after the next that did not pay 2, then 4 … 64; after one that
/// paid none.
/// </summary>
internal sealed class WaitBackoff
{
    private const int MostSkipped = 64;

    /// <summary>Number of waits still to be skipped.</summary>
    private int _left;

    /// <summary>Number of waits to skip after the next one that does not pay.</summary>
    private int _next = 1;

    /// <summary>Whether this wait is to be skipped; counts it if so.</summary>
    internal bool Skips()
    {
        bool skips = _left > 0;
        _left -= skips ? 1 : 0;
        return skips;
    }

    /// <summary>Notes the end of a wait.</summary>
    internal void Ended(bool paid)
    {
        _left = paid ? 0 : _next;
        _next = paid ? 1 : Math.Min(2 * _next, MostSkipped);
    }

    /// <summary>Has at least this many of the next waits skipped.</summary>
    internal void SkipAtLeast(int count) => _left = Math.Max(_left, count);
}

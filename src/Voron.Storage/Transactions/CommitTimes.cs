using Voron.Storage.Format;

namespace Voron.Storage.Transactions;

/// <summary>
/// Decides which commits note their time, for restores up to a time: the first one of each second, once changes were read or backed up.
/// Without that a commit costs nothing here. Used under the writer lock, except <see cref="Want"/>.
/// </summary>
internal sealed class CommitTimes
{
    private const long Never = long.MaxValue;

    private readonly TimeProvider _clock;
    private readonly Action<FormatFeatures, bool> _beforeFeature;

    /// <summary>A commit from this time on notes it, in ticks.</summary>
    private long _next;

    /// <param name="clock">Tells the time.</param>
    /// <param name="beforeFeature">
    /// Called before a feature of the format is used, which a header slot must name by then; the second argument says that it is replayed.
    /// </param>
    /// <param name="features">What the database uses already.</param>
    internal CommitTimes(TimeProvider clock, Action<FormatFeatures, bool> beforeFeature, FormatFeatures features)
    {
        _clock = clock;
        _beforeFeature = beforeFeature;
        _next = features.HasFlag(FormatFeatures.TimedCommits) ? 0 : Never;
    }

    /// <summary>Lets the next commit, and then the first one of each second, note its time. Any thread may call it.</summary>
    internal void Want() => Volatile.Write(ref _next, 0);

    /// <summary>Returns the time that the commit which is sealed now notes, in ticks; 0 if it notes none.</summary>
    internal long Take()
    {
        long next = Volatile.Read(ref _next);
        if (next == Never)
        {
            return 0;
        }

        long now = _clock.GetUtcNow().UtcTicks;
        if (now < next)
        {
            return 0;
        }

        Volatile.Write(ref _next, now - (now % TimeSpan.TicksPerSecond) + TimeSpan.TicksPerSecond);
        return now;
    }

    /// <summary>Called before a commit notes a time, also one that it has from elsewhere.</summary>
    internal void BeforeNote() => _beforeFeature(FormatFeatures.TimedCommits, false);

    /// <summary>A replayed commit has noted its time: so do those that follow.</summary>
    internal void Replayed()
    {
        _beforeFeature(FormatFeatures.TimedCommits, true);
        Want();
    }
}

namespace Voron.Storage.Threads;

/// <summary>
/// How long durable journal writes take, with separate moving averages for writes that overlapped a piece of background work and those
/// that did not. The thread that writes the journal updates them; background threads read them, so as not to slow commits.
/// </summary>
internal sealed class CommitLatency(TimeProvider time, StorageObserver? observer = null)
{
    private const int Memory = 16;

    /// <summary>The share of their time that commits may lose to background work.</summary>
    private const double MostLoss = 0.08;

    private const double MostRestPerWork = 12;

    private static readonly TimeSpan LongestRest = TimeSpan.FromMilliseconds(50);

    private long _count;
    private double _quiet;
    private double _disturbed;
    private int _piecesInFlight;
    private bool _metPiece;

    /// <summary>The report for the observer. One field suffices: writes end one at a time.</summary>
    private JournalWriteReport _report;

    /// <summary>Number of writes that have ended.</summary>
    internal long Count => Volatile.Read(ref _count);

    /// <summary>Average time of writes without a piece in flight, in the clock's ticks; 0 before the first.</summary>
    internal double Quiet => Volatile.Read(ref _quiet);

    /// <summary>Average time of writes with a piece in flight, in the clock's ticks; 0 before the first.</summary>
    internal double Disturbed => Volatile.Read(ref _disturbed);

    /// <summary>Typical time of a write: <see cref="Quiet"/>, or <see cref="Disturbed"/> if that is 0; 0 before the first.</summary>
    internal double Typical => Quiet > 0 ? Quiet : Disturbed;

    /// <summary>Current time of the clock that writes are measured with.</summary>
    internal long Now => time.GetTimestamp();

    /// <summary>A time in ticks of that clock.</summary>
    internal double TicksOf(TimeSpan span) => span.TotalSeconds * time.TimestampFrequency;

    private bool IsPieceInFlight => Volatile.Read(ref _piecesInFlight) != 0;

    /// <summary>Begins a piece of background work, which writes and syncs; returns its start time.</summary>
    internal long BeginPiece()
    {
        Interlocked.Increment(ref _piecesInFlight);
        return time.GetTimestamp();
    }

    /// <summary>
    /// Ends the piece and returns the rest that commits need after it: zero if none committed during it or during the previous rest.
    /// </summary>
    internal TimeSpan EndPiece(long began, ref long commitsSeen)
    {
        Interlocked.Decrement(ref _piecesInFlight);
        long commits = Count;
        bool isAnyoneThere = commits != commitsSeen;
        commitsSeen = commits;
        return isAnyoneThere ? RestAfter(time.GetElapsedTime(began), Quiet, Disturbed) : TimeSpan.Zero;
    }

    /// <summary>Discards a piece that failed.</summary>
    internal void CancelPiece() => Interlocked.Decrement(ref _piecesInFlight);

    /// <summary>
    /// Commits that overlap a piece lose 1 − quiet ⁄ disturbed of their time. Returns the rest that keeps their overall loss within the
    /// allowed share.
    /// </summary>
    internal static TimeSpan RestAfter(TimeSpan work, double quiet, double disturbed)
    {
        double loss = disturbed > quiet && disturbed > 0 ? 1 - (quiet / disturbed) : 0;
        double restPerWork = Math.Clamp((loss / MostLoss) - 1, 0, MostRestPerWork);
        TimeSpan rest = work * restPerWork;
        return rest > LongestRest ? LongestRest : rest;
    }

    /// <summary>Begins a write and returns its start time. One write at a time.</summary>
    internal long Begin()
    {
        _metPiece = IsPieceInFlight;
        return time.GetTimestamp();
    }

    /// <summary>Ends a write. One that did not wait for the device is counted but not averaged.</summary>
    internal void End(long began, bool onDevice, int commits, int bytes)
    {
        if (observer is not null)
        {
            // The current thread belongs to any one of the callers in the group, or is a background thread.
            _report = new JournalWriteReport(commits, bytes, time.GetElapsedTime(began), onDevice);
            EngineThread.RunDetached(static self => ((CommitLatency)self!).TellObserver(), this);
        }

        if (!onDevice)
        {
            Volatile.Write(ref _count, _count + 1);
            return;
        }

        long took = time.GetTimestamp() - began;
        if (_metPiece || IsPieceInFlight)
        {
            Add(ref _disturbed, took);
        }
        else
        {
            Add(ref _quiet, took);
        }

        Volatile.Write(ref _count, _count + 1);
    }

    private void TellObserver() => observer!.Tell(in _report);

    private static void Add(ref double average, long took) =>
        Volatile.Write(ref average, average == 0 ? took : average + ((took - average) / Memory));
}

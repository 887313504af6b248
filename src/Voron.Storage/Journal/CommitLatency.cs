using Voron.Storage.Platform;

namespace Voron.Storage.Journal;

/// <summary>
/// How long durable journal writes take, apart for those that met a piece of work in the background and those that did not: moving
/// averages, written by whoever writes the journal, read by those who work in the background and must not hold commits up.
/// </summary>
internal sealed class CommitLatency(TimeProvider time, StorageObserver? observer = null)
{
    private const int Memory = 16;

    /// <summary>The share of their time that commits may lose to work in the background.</summary>
    private const double MostLoss = 0.08;

    private const double MostRestPerWork = 12;

    private static readonly TimeSpan LongestRest = TimeSpan.FromMilliseconds(50);

    private long _count;
    private double _quiet;
    private double _disturbed;
    private int _piecesInFlight;
    private bool _metPiece;

    /// <summary>For the observer; writes end one at a time.</summary>
    private JournalWriteReport _report;

    /// <summary>Writes measured.</summary>
    internal long Count => Volatile.Read(ref _count);

    /// <summary>Average of writes beside which no piece was in flight, in the clock's ticks; 0 before the first.</summary>
    internal double Quiet => Volatile.Read(ref _quiet);

    /// <summary>Average of writes beside which a piece was in flight.</summary>
    internal double Disturbed => Volatile.Read(ref _disturbed);

    /// <summary>How long a write takes, beside pieces only when there was none without; 0 before the first.</summary>
    internal double Typical => Quiet > 0 ? Quiet : Disturbed;

    /// <summary>The clock that writes are measured with.</summary>
    internal long Now => time.GetTimestamp();

    private bool IsPieceInFlight => Volatile.Read(ref _piecesInFlight) != 0;

    /// <summary>Somebody in the background begins to write and sync.</summary>
    internal long BeginPiece()
    {
        Interlocked.Increment(ref _piecesInFlight);
        return time.GetTimestamp();
    }

    /// <summary>
    /// The piece is done; gives the rest that commits need after it. None when nobody committed meanwhile or in the rest before.
    /// </summary>
    internal TimeSpan EndPiece(long began, ref long commitsSeen)
    {
        Interlocked.Decrement(ref _piecesInFlight);
        long commits = Count;
        bool isAnyoneThere = commits != commitsSeen;
        commitsSeen = commits;
        return isAnyoneThere ? RestAfter(time.GetElapsedTime(began), Quiet, Disturbed) : TimeSpan.Zero;
    }

    /// <summary>The piece failed and has no end.</summary>
    internal void CancelPiece() => Interlocked.Decrement(ref _piecesInFlight);

    /// <summary>
    /// Commits that meet a piece lose 1 − quiet ⁄ disturbed of their time; so much of all time that the loss stays within its share is
    /// rest.
    /// </summary>
    internal static TimeSpan RestAfter(TimeSpan work, double quiet, double disturbed)
    {
        double loss = disturbed > quiet && disturbed > 0 ? 1 - (quiet / disturbed) : 0;
        double restPerWork = Math.Clamp((loss / MostLoss) - 1, 0, MostRestPerWork);
        TimeSpan rest = work * restPerWork;
        return rest > LongestRest ? LongestRest : rest;
    }

    /// <summary>A write begins. One at a time.</summary>
    internal long Begin()
    {
        _metPiece = IsPieceInFlight;
        return time.GetTimestamp();
    }

    /// <summary>It has ended; one that did not wait for the device counts, but tells nothing.</summary>
    internal void End(long began, bool onDevice, int commits, int bytes)
    {
        if (observer is not null)
        {
            // The thread at hand belongs to one of the callers whose commits went out together, or to none.
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

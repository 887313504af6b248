namespace Voron.Storage.Journal;

/// <summary>
/// How long durable journal writes take, apart for those that met a piece of a checkpoint and those that did not: moving averages, written
/// by whoever writes the journal, read by the flusher.
/// </summary>
internal sealed class CommitLatency(TimeProvider time)
{
    private const int Memory = 16;

    private long _count;
    private double _quiet;
    private double _disturbed;
    private volatile bool _isPieceInFlight;
    private bool _metPiece;

    /// <summary>The flusher is writing and syncing now.</summary>
    internal bool IsPieceInFlight
    {
        get => _isPieceInFlight;
        set => _isPieceInFlight = value;
    }

    /// <summary>Durable writes measured.</summary>
    internal long Count => Volatile.Read(ref _count);

    /// <summary>Average of writes beside which no piece was in flight, in the clock's ticks; 0 before the first.</summary>
    internal double Quiet => Volatile.Read(ref _quiet);

    /// <summary>Average of writes beside which a piece was in flight.</summary>
    internal double Disturbed => Volatile.Read(ref _disturbed);

    /// <summary>A durable write begins. One at a time.</summary>
    internal long Begin()
    {
        _metPiece = _isPieceInFlight;
        return time.GetTimestamp();
    }

    internal void End(long began)
    {
        long took = time.GetTimestamp() - began;
        if (_metPiece || _isPieceInFlight)
        {
            Add(ref _disturbed, took);
        }
        else
        {
            Add(ref _quiet, took);
        }

        Volatile.Write(ref _count, _count + 1);
    }

    private static void Add(ref double average, long took) =>
        Volatile.Write(ref average, average == 0 ? took : average + ((took - average) / Memory));
}

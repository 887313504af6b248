namespace Voron.Storage.Journal;

/// <summary>
/// The batch that fills and the one in flight, and how far the journal is. Changed under the journal's gate; whether a batch is done may be
/// asked without it.
/// </summary>
internal sealed class BatchPair : IDisposable
{
    /// <summary>A caller that would make the filling batch longer than this waits for the write before.</summary>
    private const int MaxBatchBytes = 4 << 20;

    private CommitBatch _spare = new();
    private long _written;
    private long _onDevice;
    private long _lastTaken;

    internal CommitBatch Filling { get; private set; } = new();

    /// <summary>The write that goes on while <see cref="IsWriting"/>.</summary>
    internal JournalWrite InFlight { get; private set; }

    /// <summary>A write goes on, or somebody is about to begin one.</summary>
    internal bool IsWriting { get; private set; }

    /// <summary>The last transaction that is in a batch whose write has begun. May be asked without the gate.</summary>
    internal long LastTaken => Volatile.Read(ref _lastTaken);

    /// <summary>For whoever needs all that was sealed so far.</summary>
    internal CommitTicket LastSealed => new(Filling.IsEmpty ? Filling.Number - 1 : Filling.Number);

    /// <summary>False when the record does not fit the chunk any more or too much is unwritten.</summary>
    internal bool HasRoom(int recordBytes, long chunkBytes) =>
        Filling.StartOffset + Filling.UsedBytes + recordBytes <= chunkBytes
        && (Filling.IsEmpty || Filling.UsedBytes + recordBytes <= MaxBatchBytes);

    internal bool IsDone(CommitTicket ticket, bool onDevice) =>
        ticket.Batch <= Volatile.Read(ref onDevice ? ref _onDevice : ref _written);

    /// <summary>
    /// Takes the filling batch away to write it; the next records go to another one. An empty one stays: then the write is a sync of what
    /// was written without the device.
    /// </summary>
    internal JournalWrite Take(bool onDevice)
    {
        CommitBatch batch = Filling;
        IsWriting = true;
        if (batch.IsEmpty)
        {
            return InFlight = new JournalWrite(null, batch.Number - 1, onDevice);
        }

        Volatile.Write(ref _lastTaken, Math.Max(_lastTaken, batch.LastCommit));
        Filling = _spare;
        _spare = batch;
        Filling.Begin(batch.Number + 1, batch.StartOffset + batch.WriteBytes);
        return InFlight = new JournalWrite(batch, batch.Number, onDevice || batch.NeedsDevice);
    }

    /// <summary>Nobody else writes until the caller does, or gives it up; the batch goes on filling.</summary>
    internal void Reserve()
    {
        IsWriting = true;
        InFlight = default;
    }

    /// <summary>The caller, who reserved the write, begins it now or leaves it to others.</summary>
    internal void GiveUp() => IsWriting = false;

    internal void Ended(bool succeeded)
    {
        IsWriting = false;
        if (succeeded)
        {
            Volatile.Write(ref _written, Math.Max(_written, InFlight.Number));
            if (InFlight.OnDevice)
            {
                Volatile.Write(ref _onDevice, _written);
            }
        }
    }

    /// <summary>
    /// The filling batch or the one in flight, when the end of its write is what a caller waits for; the filling one learns that it is to
    /// go to the device.
    /// </summary>
    internal CommitBatch? InHand(CommitTicket ticket, bool onDevice)
    {
        if (ticket.Batch == Filling.Number)
        {
            Filling.NeedsDevice |= onDevice;
            return Filling;
        }

        bool isFlying = IsWriting && InFlight.Batch is { } batch && batch.Number == ticket.Batch;
        return isFlying && (InFlight.OnDevice || !onDevice) ? InFlight.Batch : null;
    }

    public void Dispose()
    {
        Filling.Dispose();
        _spare.Dispose();
    }
}

using Voron.Storage.Format;

namespace Voron.Storage.Commits;

/// <summary>
/// The filling commit group and the one in flight, and how far the journal is written. Guarded by the journal's gate, except
/// <see cref="IsDone"/> and <see cref="LastTaken"/>, which may be read without it. Invariants:
/// <para>1. Numbers of groups increase by one; a group is filling, then in flight, then written, then on the device.</para>
/// <para>2. _onDevice ≤ _written &lt; Filling.Number; neither ever decreases.</para>
/// <para>3. At most one write is in flight, and a group that is in flight gets no more records.</para>
/// <para>4. A caller that has reserved the write (<see cref="Reserve"/>) begins it or gives it up before it waits for anything.</para>
/// <para>5. LastTaken ≥ the last transaction of every group that is or was in flight.</para>
/// </summary>
internal sealed class CommitGroups : IDisposable
{
    /// <summary>A caller that would make the filling group longer than this first has it written.</summary>
    private const int MaxGroupBytes = 4 << 20;

    private CommitGroup _spare = new();
    private long _written;
    private long _onDevice;
    private long _lastTaken;

    internal CommitGroup Filling { get; private set; } = new();

    /// <summary>The write in flight; valid while <see cref="IsWriting"/>.</summary>
    internal JournalWrite InFlight { get; private set; }

    /// <summary>Whether a write is in flight, or a caller has reserved the right to begin one.</summary>
    internal bool IsWriting { get; private set; }

    /// <summary>The last transaction in a group whose write has begun. May be read without the gate.</summary>
    internal TransactionId LastTaken => new(Volatile.Read(ref _lastTaken));

    /// <summary>The ticket that covers everything sealed so far.</summary>
    internal CommitGroupId LastSealed => new(Filling.IsEmpty ? Filling.Number - 1 : Filling.Number);

    /// <summary>Returns false if the record no longer fits the chunk or the filling group would become too long.</summary>
    internal bool HasRoom(int recordBytes, long chunkBytes) =>
        Filling.StartOffset + Filling.UsedBytes + recordBytes <= chunkBytes
        && (Filling.IsEmpty || Filling.UsedBytes + recordBytes <= MaxGroupBytes);

    internal bool IsDone(CommitGroupId ticket, bool onDevice) =>
        ticket.Number <= Volatile.Read(ref onDevice ? ref _onDevice : ref _written);

    /// <summary>
    /// Takes the filling group for writing; later records go to another one. An empty group stays, and the write is then only a sync of
    /// earlier buffered writes.
    /// </summary>
    internal JournalWrite Take(bool onDevice)
    {
        CommitGroup group = Filling;
        IsWriting = true;
        if (group.IsEmpty)
        {
            return InFlight = new JournalWrite(null, group.Number - 1, onDevice);
        }

        Volatile.Write(ref _lastTaken, Math.Max(_lastTaken, group.LastCommit.Value));
        Filling = _spare;
        _spare = group;
        Filling.Begin(group.Number + 1, group.StartOffset + group.WriteBytes);
        return InFlight = new JournalWrite(group, group.Number, onDevice || group.NeedsDevice);
    }

    /// <summary>Reserves the next write for the caller until it calls <see cref="GiveUp"/>; the group continues to fill.</summary>
    internal void Reserve()
    {
        IsWriting = true;
        InFlight = default;
    }

    /// <summary>Ends the caller's reservation; it then begins the write or leaves it to others.</summary>
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
    /// Returns the filling group or the one in flight if the end of its write is what the caller needs, otherwise null. With
    /// <paramref name="onDevice"/> the filling group is marked to be written through.
    /// </summary>
    internal CommitGroup? FindPending(CommitGroupId ticket, bool onDevice)
    {
        if (ticket.Number == Filling.Number)
        {
            Filling.NeedsDevice |= onDevice;
            return Filling;
        }

        bool isFlying = IsWriting && InFlight.Group is { } group && group.Number == ticket.Number;
        return isFlying && (InFlight.OnDevice || !onDevice) ? InFlight.Group : null;
    }

    public void Dispose()
    {
        Filling.Dispose();
        _spare.Dispose();
    }
}

using Voron.Storage.Replication.Core;

namespace Voron.Storage.Replication.Tests.Simulation;

/// <summary>A node of a schedule: what the product makes of the log, above a database that is a model.</summary>
internal sealed class Node
{
    private readonly Schedule _schedule;
    private readonly byte[]?[] _slots = [null, null];
    private long _sequence;

    internal Node(Schedule schedule, int number)
    {
        _schedule = schedule;
        Number = number;
        Store = new ModelStore(schedule.Made);
        Core = Make(LogState.Begin);
    }

    internal int Number { get; }

    internal ModelStore Store { get; }

    internal ReplicaCore Core { get; private set; }

    /// <summary>What is on its way, and has to be written here and acknowledged when it has counted.</summary>
    internal (Outgoing Outgoing, Batch? Batch)? Pending { get; set; }

    /// <summary>Reads one entry, and finishes what that completes. False at the end of the log.</summary>
    internal bool Read()
    {
        byte[]? entry = _schedule.EntryAt(Core.State.Position + 1, this);
        if (entry is null)
        {
            return false;
        }

        Core.TakeAsync(Core.State.Position + 1, entry, CancellationToken.None).AsTask().GetAwaiter().GetResult();
        Finish();
        return true;
    }

    /// <summary>Writes a batch here that has counted, and acknowledges it; or goes back if it will not.</summary>
    internal void Finish()
    {
        if (Pending is not { Outgoing.IsOver: true } pending)
        {
            return;
        }

        Pending = null;
        if (!pending.Outgoing.HasCounted)
        {
            if (pending.Batch is not null)
            {
                Restart();
            }

            return;
        }

        if (_schedule.DiesNow)
        {
            // The log has it, and no caller was told.
            Restart();
            return;
        }

        foreach (ulong content in pending.Batch?.Contents ?? [])
        {
            Store.Write(content);
            _schedule.Acknowledge(this, Store.LastTransaction, content);
        }
    }

    /// <summary>Saves its place in the log, perhaps at the moment of a power cut.</summary>
    internal void Save(Random random, bool isTorn)
    {
        if (random.Next(2) == 0)
        {
            Store.Flush();
        }

        LogState safe = Core.Safe;
        if (!safe.IsCoveredBy(Store.Durable))
        {
            return;
        }

        byte[] bytes = LogStateBytes.Write(safe, _sequence + 1);
        if (isTorn)
        {
            int first = random.Next(bytes.Length);
            int end = Math.Min(bytes.Length, first + 1 + random.Next(24));
            for (int at = first; at < end; at++)
            {
                bytes[at] = (byte)random.Next(256);
            }
        }

        _sequence++;
        _slots[_sequence % 2] = bytes;
    }

    /// <summary>The process ends, or the machine does, and begins again.</summary>
    internal void Crash(Random random)
    {
        Store.Crash(random);
        Restart();
    }

    /// <summary>Goes on from the saved place with what the database has.</summary>
    internal void Restart()
    {
        Core.StepDown(new InvalidOperationException("restart"));
        Pending = null;
        Store.Abort();
        Core = Make(Saved());
    }

    internal void Begin(LogState state, IReadOnlyList<ulong> transactions)
    {
        Store.Restore(transactions, state.Log);
        _slots[++_sequence % 2] = LogStateBytes.Write(state, _sequence);
        Restart();
    }

    internal LogState Saved()
    {
        LogState? newest = null;
        long highest = 0;
        foreach (byte[]? slot in _slots)
        {
            if (slot is not null && LogStateBytes.TryRead(slot, out long sequence) is { } state && sequence > highest)
            {
                newest = state;
                highest = sequence;
            }
        }

        _sequence = Math.Max(_sequence, highest);
        return newest ?? LogState.Begin;
    }

    private ReplicaCore Make(LogState state) => new(state, Store)
    {
        LeadershipChanged = isOwn =>
        {
            if (isOwn)
            {
                _schedule.Leads(this);
            }
        },
    };
}

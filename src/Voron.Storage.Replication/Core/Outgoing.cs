using System.Runtime.ExceptionServices;

namespace Voron.Storage.Replication.Core;

/// <summary>
/// What a leader sends at a time: the parts of a batch, or a heartbeat, under consecutive numbers. Each entry is sent until it was read
/// back and counted; an answer of the log alone means nothing, because the log need not check the condition of an append.
/// </summary>
internal sealed class Outgoing
{
    private readonly byte[][] _entries;
    private readonly uint[] _crcs;
    private readonly long _first;
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _counted;

    private Outgoing(long first, byte[][] entries)
    {
        _first = first;
        _entries = entries;
        _crcs = [.. entries.Select(static entry => BitConverter.ToUInt32(entry.AsSpan(EntryHead.SizeBytes - sizeof(uint))))];
    }

    /// <summary>Completes when all entries have counted, or fails when they will not be sent any more.</summary>
    internal Task Ended => _ended.Task;

    internal bool IsOver => _ended.Task.IsCompleted;

    /// <summary>Whether all entries have counted in the epoch of their writer.</summary>
    internal bool HasCounted => Volatile.Read(ref _counted) == _entries.Length;

    internal static Outgoing Heartbeat(LogState state, ReadOnlySpan<byte> payload) =>
        new(state.Number + 1, [EntryHead.Make(EntryKind.Heartbeat, EntryFlags.None, state.Epoch, state.Number + 1, payload)]);

    /// <summary>Cuts a batch into entries.</summary>
    internal static Outgoing Batch(LogState state, ReadOnlySpan<byte> batch, int mostPayloadBytes)
    {
        int parts = Math.Max(1, (batch.Length + mostPayloadBytes - 1) / mostPayloadBytes);
        byte[][] entries = new byte[parts][];
        for (int i = 0; i < parts; i++)
        {
            EntryFlags flags = (i == 0 ? EntryFlags.First : EntryFlags.None) | (i == parts - 1 ? EntryFlags.Last : EntryFlags.None);
            int at = i * mostPayloadBytes;
            ReadOnlySpan<byte> part = batch.Slice(at, Math.Min(mostPayloadBytes, batch.Length - at));
            entries[i] = EntryHead.Make(EntryKind.Records, flags, state.Epoch, state.Number + 1 + i, part);
        }

        return new Outgoing(state.Number + 1, entries);
    }

    /// <summary>The entries that have not counted yet, in order.</summary>
    internal ReadOnlyMemory<byte[]> Uncounted() => _entries.AsMemory(Volatile.Read(ref _counted));

    /// <summary>An entry of the writer's epoch has counted.</summary>
    internal void Counted(in EntryHead head)
    {
        int at = Volatile.Read(ref _counted);
        if (at == _entries.Length || head.Number != _first + at || head.Crc != _crcs[at])
        {
            // Nothing else can have this number in this epoch; and if it has, nothing of this may be acknowledged.
            Fail(new InvalidOperationException($"Entry {head.Number} of epoch {head.Epoch} is not the one that was sent."));
            return;
        }

        Volatile.Write(ref _counted, at + 1);
        if (HasCounted)
        {
            _ended.TrySetResult();
        }
    }

    /// <summary>Waits until all entries have counted; false if they have not in time.</summary>
    internal bool Wait(TimeSpan most, CancellationToken cancellation)
    {
        try
        {
            return _ended.Task.Wait((int)Math.Min(most.TotalMilliseconds, int.MaxValue), cancellation);
        }
        catch (AggregateException error)
        {
            ExceptionDispatchInfo.Throw(error.InnerException!);
            return false;
        }
    }

    /// <summary>Ends it: whether its entries count is unknown.</summary>
    internal void Fail(Exception why)
    {
        _ended.TrySetException(why);
        _ = _ended.Task.Exception;
    }
}

using System.Buffers;

namespace Voron.Storage.Replication.Core;

/// <summary>Puts the parts of a batch together. A batch is cut anywhere, and its parts count one after another.</summary>
internal sealed class BatchAssembly
{
    private const int MostKeptBytes = 8 << 20;

    private ArrayBufferWriter<byte> _parts = new();

    /// <summary>Whether parts of a batch are here whose last one has not come yet.</summary>
    internal bool IsOpen { get; private set; }

    /// <summary>Adds a part. Returns whether the batch is whole; then it is valid until the next call.</summary>
    internal bool Add(long position, EntryFlags flags, ReadOnlyMemory<byte> payload, out ReadOnlyMemory<byte> batch)
    {
        batch = payload;
        if (flags.HasFlag(EntryFlags.First) == IsOpen)
        {
            throw ReplicaStoppedException.Damaged(position, IsOpen ? "it begins a batch inside another" : "it goes on with no batch");
        }

        if (flags == EntryFlags.Whole)
        {
            return true;
        }

        _parts.Write(payload.Span);
        IsOpen = !flags.HasFlag(EntryFlags.Last);
        if (IsOpen)
        {
            return false;
        }

        batch = _parts.WrittenMemory.ToArray();
        Drop();
        return true;
    }

    /// <summary>Forgets the parts of a batch that will not be whole.</summary>
    internal void Drop()
    {
        IsOpen = false;
        if (_parts.Capacity > MostKeptBytes)
        {
            _parts = new ArrayBufferWriter<byte>();
        }
        else
        {
            _parts.ResetWrittenCount();
        }
    }
}

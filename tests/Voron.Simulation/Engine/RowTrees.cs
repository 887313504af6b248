using System.Runtime.InteropServices;
using Voron.Simulation.Crashes;
using Voron.Storage;
using Voron.Storage.Format;

namespace Voron.Simulation.Engine;

/// <summary>Keeps rows of even keys in trees of another kind than ordered ones; those of odd keys are in ordered trees.</summary>
internal abstract class RowTrees
{
    /// <summary>What a header slot says of such trees.</summary>
    protected abstract FormatFeatures Feature { get; }

    /// <summary>Bytes of junk that such trees take.</summary>
    internal abstract int MostJunkBytes { get; }

    /// <summary>Whether one of the header slots says that the database has such trees.</summary>
    internal bool AreAnnounced(SimDisk disk) => disk.Peek(EngineSubject.DataFile) is { } bytes
        && (IsAnnouncedBy(bytes, 0) || IsAnnouncedBy(bytes, EngineSubject.PageBytes));

    /// <summary>A build without such trees may open the database, since no slot keeps it from that; then there must be none.</summary>
    internal void RequireNone(StorageEnvironment environment)
    {
        using ReadTransaction read = environment.BeginRead();
        if (HasAny(read))
        {
            throw new InvalidDataException("There are trees of a later kind, and no header slot said so.");
        }
    }

    /// <summary>Makes changes in their trees.</summary>
    internal void Apply(WriteTransaction write, IEnumerable<WorkloadChange> changes)
    {
        List<WorkloadChange> others = [];
        foreach (WorkloadChange change in changes)
        {
            if (change.End is null && IsOwn(change.Key))
            {
                Apply(write, change.Key, change.Value);
                continue;
            }

            others.Add(change);
            if (change.End is not null)
            {
                DeleteRange(write, change.Key, change.End);
            }
        }

        EngineSession.Apply(write, others);
    }

    /// <summary>A change that is to be undone: the trees are dropped, made as others, and made again, empty.</summary>
    internal abstract void Disturb(WriteTransaction write);

    internal abstract void Visit(ReadTransaction read, List<(byte[] Key, byte[] Value)> rows);

    protected abstract bool HasAny(ReadTransaction read);

    /// <summary>Puts a row; without a value deletes it.</summary>
    protected abstract void Apply(WriteTransaction write, byte[] rowKey, byte[]? rowValue);

    protected abstract void DeleteRange(WriteTransaction write, byte[] from, byte[] end);

    protected static bool IsIn(byte[] key, byte[] from, byte[] end) =>
        KeyOrder.Instance.Compare(key, from) >= 0 && KeyOrder.Instance.Compare(key, end) < 0;

    protected static void Require(bool holds, string what)
    {
        if (!holds)
        {
            throw new InvalidDataException($"{what} was not where it should be.");
        }
    }

    private static bool IsOwn(byte[] key) => (key[^1] & 1) == 0;

    private bool IsAnnouncedBy(byte[] bytes, int offset)
    {
        if (bytes.Length < offset + HeaderSlot.SizeBytes)
        {
            return false;
        }

        ReadOnlySpan<byte> slot = bytes.AsSpan(offset, HeaderSlot.SizeBytes);
        HeaderSlot header = MemoryMarshal.Read<HeaderSlot>(slot);
        return header.Checksum == Checksum.Compute(slot[sizeof(ulong)..]) && header.Features.HasFlag(Feature);
    }
}

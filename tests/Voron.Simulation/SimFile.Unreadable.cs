using Voron.Storage;

namespace Voron.Simulation;

/// <content>Places that the device cannot read.</content>
internal sealed partial class SimFile
{
    private int _asked;

    private static IoError Unreadable => new(IoErrorKind.Device, 5);

    /// <summary>A range that is not mapped is a mistake of the engine that a system would not report.</summary>
    public void ReadAhead(long offset, long bytes) => RequireMapped(offset, bytes);

    /// <summary>A part of the pages is out of memory, and each comes and goes.</summary>
    public bool IsInMemory(long offset, long bytes)
    {
        RequireMapped(offset, bytes);
        return Interlocked.Increment(ref _asked) % 3 == 0;
    }

    private void RequireMapped(long offset, long bytes)
    {
        lock (_disk.Gate)
        {
            long mapped = _inode.Region is null ? 0 : _inode.Volatile.Length;
            if (offset < 0 || bytes <= 0 || offset + bytes > mapped)
            {
                throw new InvalidOperationException($"Of '{Path}' {mapped} bytes are mapped, not {offset} to {offset + bytes}.");
            }
        }
    }

    /// <summary>No call of its own in the trace: it changes nothing, and its failure belongs to a place.</summary>
    public IoError Populate(long offset, long bytes)
    {
        lock (_disk.Gate)
        {
            return _inode.CanRead(offset, bytes) ? IoError.Success : Unreadable;
        }
    }
}

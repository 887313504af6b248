using Voron.Storage;

namespace Voron.Simulation;

/// <content>Places that the device cannot read.</content>
internal sealed partial class SimFile
{
    private static IoError Unreadable => new(IoErrorKind.Device, 5);

    public void ReadAhead(long offset, long bytes) => _inode.RequireMapped(Path, offset, bytes);

    public bool IsInMemory(long offset, long bytes) => _inode.ComesAndGoes(Path, offset, bytes);

    /// <summary>No call of its own in the trace: it changes nothing, and its failure belongs to a place.</summary>
    public IoError Populate(long offset, long bytes)
    {
        lock (_disk.Gate)
        {
            return _inode.CanRead(offset, bytes) ? IoError.Success : Unreadable;
        }
    }
}

using Voron.Storage.Platform;

namespace Voron.Storage.Journal;

/// <summary>
/// The chunk that commits go to: a descriptor that writes through to the device, and one that does not, opened when the first buffered
/// commit needs it.
/// </summary>
internal sealed class CommitChunk : IDisposable
{
    private readonly IDisk _disk;
    private readonly IDiskFile _through;
    private IDiskFile? _buffered;

    internal CommitChunk(IDisk disk, Chunk chunk)
    {
        _disk = disk;
        Chunk = chunk;
        Platform.Throw.IfFailed(
            disk.OpenFile(chunk.Path, FileOpening.Unbuffered | FileOpening.WriteThrough, out IDiskFile? file), "open", chunk.Path);
        _through = file!;
    }

    internal Chunk Chunk { get; }

    /// <summary>Buffered writes have gone to this chunk since its last sync.</summary>
    internal bool IsUnsynced { get; private set; }

    /// <summary>A write that is to be on the device when it returns makes a sync call of its own.</summary>
    internal bool FlushesWrites => _through.FlushesWrites;

    /// <summary>The descriptor for a write that is to be on the device when it returns, or for one that is not.</summary>
    internal IDiskFile FileFor(bool onDevice)
    {
        if (onDevice)
        {
            return _through;
        }

        if (_buffered is null)
        {
            Platform.Throw.IfFailed(_disk.OpenFile(Chunk.Path, FileOpening.Unbuffered, out IDiskFile? file), "open", Chunk.Path);
            _buffered = file!;
        }

        IsUnsynced = true;
        return _buffered;
    }

    internal void Sync()
    {
        Platform.Throw.IfFailed(_buffered!.SyncData(), "sync", Chunk.Path);
        IsUnsynced = false;
    }

    public void Dispose()
    {
        _through.Dispose();
        _buffered?.Dispose();
    }
}

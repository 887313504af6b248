using Voron.Storage.Journal;

namespace Voron.Storage.Commits;

/// <summary>
/// The chunk that commits are written to: a write-through descriptor, and one that is not, which the first buffered commit opens.
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
        IO.Throw.IfFailed(
            disk.OpenFile(chunk.Path, FileOpening.Unbuffered | FileOpening.WriteThrough, out IDiskFile? file), "open", chunk.Path);
        _through = file!;
    }

    internal Chunk Chunk { get; }

    /// <summary>Whether the chunk has had buffered writes since its last sync.</summary>
    internal bool IsUnsynced { get; private set; }

    /// <summary>Whether each write-through write makes a sync call of its own.</summary>
    internal bool FlushesWrites => _through.FlushesWrites;

    /// <summary>Returns the descriptor for a write-through write or for a buffered one; the latter marks the chunk as unsynced.</summary>
    internal IDiskFile FileFor(bool onDevice)
    {
        if (onDevice)
        {
            return _through;
        }

        if (_buffered is null)
        {
            IO.Throw.IfFailed(_disk.OpenFile(Chunk.Path, FileOpening.Unbuffered, out IDiskFile? file), "open", Chunk.Path);
            _buffered = file!;
        }

        IsUnsynced = true;
        return _buffered;
    }

    internal void Sync()
    {
        IO.Throw.IfFailed(_buffered!.SyncData(), "sync", Chunk.Path);
        IsUnsynced = false;
    }

    public void Dispose()
    {
        _through.Dispose();
        _buffered?.Dispose();
    }
}

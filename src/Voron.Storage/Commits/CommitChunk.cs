using Voron.Storage.Format;
using Voron.Storage.Journal;

namespace Voron.Storage.Commits;

/// <summary>
/// The chunk that commits are written to, by two descriptors: an unbuffered one for durable writes, which are on the device when they
/// return, and one for buffered writes, which stay in the page cache. Before a durable write the chunk is synced if it has buffered ones.
/// A block that was written by one is never written again by the other: the page cache might write an old block over a new one.
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
            // With larger pages, blocks of both would share one.
            FileOpening opening = _disk.CachePageBytes > FormatConstants.BlockBytes ? FileOpening.Unbuffered : FileOpening.None;
            IO.Throw.IfFailed(_disk.OpenFile(Chunk.Path, opening, out IDiskFile? file), "open", Chunk.Path);
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

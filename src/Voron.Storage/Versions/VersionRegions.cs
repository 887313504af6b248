using System.Runtime.CompilerServices;
using Voron.Storage.IO;

namespace Voron.Storage.Versions;

/// <summary>
/// The memory that page versions take from the system: counts it, up to a limit, and keeps prepared regions. Regions of blocks get longer
/// while load goes on. Guarded by the gate of the version table.
/// </summary>
/// <param name="mostBytes">The limit in bytes.</param>
internal sealed class VersionRegions(long mostBytes) : IDisposable
{
    internal const int LargestBlockRegionBytes = 16 << 20;

    private const int FirstBlockRegionBytes = 1 << 20;
    private const int FirstVersionRegionBytes = 64 << 10;
    private const int LargestVersionRegionBytes = 2 << 20;
    private const int LeastUnpreparedBytes = 256 << 10;

    private AlignedBuffer? _blocks;
    private AlignedBuffer? _versions;
    private long _nextBlockBytes = FirstBlockRegionBytes;
    private long _nextVersionBytes = FirstVersionRegionBytes;
    private long _takenBytes;
    private bool _disposed;

    /// <summary>Bytes that may still be taken.</summary>
    internal long Room => mostBytes - Volatile.Read(ref _takenBytes);

    /// <summary>Length of the prepared region of blocks; 0 if there is none.</summary>
    internal long PreparedBytes => _blocks?.LengthBytes ?? 0;

    private long NextBlockBytes => Math.Min(_nextBlockBytes, Room);

    /// <summary>Whether a region of blocks should be prepared when this much can still be carved.</summary>
    internal bool WantsBlocks(long room) => _blocks is null && room < _nextBlockBytes && NextBlockBytes > 0;

    /// <summary>As <see cref="WantsBlocks"/>, of versions.</summary>
    internal bool WantsVersions(long room) =>
        _versions is null && _nextVersionBytes > FirstVersionRegionBytes && room < _nextVersionBytes / 8;

    /// <summary>Prepares a region whose pages are backed by memory; null if there may be none. Needs no gate.</summary>
    internal AlignedBuffer? PrepareBlocks() =>
        NextBlockBytes is > 0 and long bytes ? Allocate(bytes) : null;

    /// <summary>As <see cref="PrepareBlocks"/>, for versions, which may always be taken.</summary>
    internal AlignedBuffer PrepareVersions() => Allocate(_nextVersionBytes);

    /// <summary>Takes a prepared region, to be used when the current one is full.</summary>
    internal void AdoptBlocks(AlignedBuffer region) => Adopt(ref _blocks, region);

    /// <summary>As <see cref="AdoptBlocks"/>, of versions.</summary>
    internal void AdoptVersions(AlignedBuffer region) => Adopt(ref _versions, region);

    /// <summary>Counts memory that was taken or, if negative, returned.</summary>
    internal void Count(long bytes) => _takenBytes += bytes;

    /// <summary>Returns a region for blocks, the prepared one if it is long enough; null if the limit is reached.</summary>
    internal BlockRegion? TryTakeBlocks(long bytes)
    {
        AlignedBuffer? region = _blocks;
        if (region is not null && region.LengthBytes >= bytes)
        {
            _blocks = null;
        }
        else if (Room >= bytes)
        {
            // None is ready: take little, because it is backed by memory while the caller waits; page by page would cost more.
            long little = Math.Min(Math.Clamp(_takenBytes / 4, LeastUnpreparedBytes, FirstBlockRegionBytes), Room);
            region = Take(Math.Max(little, bytes));
        }
        else
        {
            return null;
        }

        _nextBlockBytes = Math.Min(_nextBlockBytes * 2, LargestBlockRegionBytes);
        return new BlockRegion(region);
    }

    /// <summary>Returns a region for versions, the prepared one if it is long enough.</summary>
    internal BlockRegion TakeVersions(long bytes)
    {
        AlignedBuffer? region = _versions;
        if (region is not null && region.LengthBytes >= bytes)
        {
            _versions = null;
        }
        else
        {
            region = Take(Math.Max(_nextVersionBytes, bytes));
        }

        _nextVersionBytes = Math.Min(_nextVersionBytes * 2, LargestVersionRegionBytes);
        return new BlockRegion(region);
    }

    /// <summary>Hands over the prepared region of blocks, if there is one, and begins with short ones again.</summary>
    internal AlignedBuffer? EndLoad()
    {
        AlignedBuffer? unused = _blocks;
        _blocks = null;
        _takenBytes -= unused?.LengthBytes ?? 0;
        _nextBlockBytes = FirstBlockRegionBytes;
        return unused;
    }

    public void Dispose()
    {
        _disposed = true;
        _blocks?.Dispose();
        _blocks = null;
        _versions?.Dispose();
        _versions = null;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static AlignedBuffer Allocate(long bytes) => AlignedBuffer.AllocateForPages(bytes, preFault: true);

    private AlignedBuffer Take(long bytes)
    {
        AlignedBuffer region = Allocate(bytes);
        _takenBytes += region.LengthBytes;
        return region;
    }

    private void Adopt(ref AlignedBuffer? prepared, AlignedBuffer region)
    {
        if (prepared is not null || _disposed)
        {
            region.Dispose();
            return;
        }

        prepared = region;
        _takenBytes += region.LengthBytes;
    }
}

using Voron.Native;
using Voron.Native.Unix;

namespace Voron.Storage.IO;

/// <summary>
/// Page-aligned, zero-filled memory of the system, for unbuffered transfers and page versions. It never moves and is freed by dispose
/// only: spans taken from it must not be used after that.
/// </summary>
internal sealed class AlignedBuffer : IDisposable
{
    private readonly NativeMemoryOptions _options;
    private NativeMemoryRegion? _region;

    private AlignedBuffer(NativeMemoryRegion region, NativeMemoryOptions options, long lengthBytes)
    {
        _region = region;
        _options = options;
        LengthBytes = lengthBytes;
    }

    /// <summary>Set by a process that opens thousands of databases and reuses their memory; null in production.</summary>
    internal static IMemorySource? Source { get; set; }

    /// <summary>The requested length.</summary>
    internal long LengthBytes { get; }

    internal nint Address => Region.Address;

    private NativeMemoryRegion Region
    {
        get
        {
            if (_region is null)
            {
                Throw.BufferDisposed();
            }

            return _region;
        }
    }

    /// <summary>Returns the whole buffer, if it is not longer than a span can be.</summary>
    internal Span<byte> Span => Region.Span(0, checked((int)LengthBytes));

    /// <summary>
    /// Allocates a buffer for transfers that no forked child shares, see <see cref="NativeMemoryOptions.NotInChildren"/>.
    /// </summary>
    internal static AlignedBuffer Allocate(int bytes) => Allocate(bytes, NativeMemoryOptions.NotInChildren);

    /// <summary>
    /// Allocates memory for many pages, on huge pages if the system has them, pre-faulted so that the first store into a page costs
    /// nothing.
    /// </summary>
    internal static AlignedBuffer AllocateForPages(long bytes, bool preFault) =>
        Allocate(bytes, NativeMemoryOptions.HugePages | (preFault ? NativeMemoryOptions.PreFault : NativeMemoryOptions.None));

    /// <summary>Returns a part of the buffer. Throws if it is out of range.</summary>
    internal Span<byte> Slice(long offset, int length) => Region.Span(offset, length);

    public void Dispose()
    {
        if (Interlocked.Exchange(ref _region, null) is not { } region)
        {
            return;
        }

        if (Source is { } source)
        {
            source.Return(region, _options);
        }
        else
        {
            region.Dispose();
        }
    }

    private static AlignedBuffer Allocate(long bytes, NativeMemoryOptions options)
    {
        if (SystemMemory.IsRefused(bytes))
        {
            Throw.OutOfMemory(bytes, Errno.NOMEM);
        }

        NativeMemoryRegion? region;
        NativeResult allocated = Source is { } source
            ? source.Take(bytes, options, out region)
            : NativeMemoryRegion.Allocate(bytes, options, out region);
        if (region is null)
        {
            Throw.OutOfMemory(bytes, allocated.Code);
        }

        return new AlignedBuffer(region, options, bytes);
    }
}

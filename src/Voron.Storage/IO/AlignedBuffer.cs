using Voron.Native;
using Voron.Native.Unix;

namespace Voron.Storage.IO;

/// <summary>
/// Page-aligned, zero-filled memory of the system, for unbuffered transfers and page versions. It never moves and is freed by dispose
/// only: spans taken from it must not be used after that.
/// </summary>
internal sealed class AlignedBuffer : IDisposable
{
    private readonly NativeMemoryRegion _region;

    private AlignedBuffer(NativeMemoryRegion region, long lengthBytes)
    {
        _region = region;
        LengthBytes = lengthBytes;
    }

    /// <summary>The requested length.</summary>
    internal long LengthBytes { get; }

    internal nint Address => _region.Address;

    /// <summary>Returns the whole buffer, if it is not longer than a span can be.</summary>
    internal Span<byte> Span => _region.Span(0, checked((int)LengthBytes));

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
    internal Span<byte> Slice(long offset, int length) => _region.Span(offset, length);

    public void Dispose() => _region.Dispose();

    private static AlignedBuffer Allocate(long bytes, NativeMemoryOptions options)
    {
        if (SystemMemory.IsRefused(bytes))
        {
            Throw.OutOfMemory(bytes, Errno.NOMEM);
        }

        NativeResult allocated = NativeMemoryRegion.Allocate(bytes, options, out NativeMemoryRegion? region);
        if (region is null)
        {
            Throw.OutOfMemory(bytes, allocated.Code);
        }

        return new AlignedBuffer(region, bytes);
    }
}

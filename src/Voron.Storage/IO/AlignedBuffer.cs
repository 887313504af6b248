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

    /// <summary>What was asked for.</summary>
    internal long LengthBytes { get; }

    internal nint Address => _region.Address;

    /// <summary>The whole buffer, where it is not larger than a span can be.</summary>
    internal Span<byte> Span => _region.Span(0, checked((int)LengthBytes));

    /// <summary>A buffer for transfers: no forked child shares it, see <see cref="NativeMemoryOptions.NotInChildren"/>.</summary>
    internal static AlignedBuffer Allocate(int bytes) => Allocate(bytes, NativeMemoryOptions.NotInChildren);

    /// <summary>
    /// Memory for many pages, on huge pages where the system has them; pre-faulted, so that the first store into each page costs nothing.
    /// </summary>
    internal static AlignedBuffer AllocateForPages(long bytes, bool preFault) =>
        Allocate(bytes, NativeMemoryOptions.HugePages | (preFault ? NativeMemoryOptions.PreFault : NativeMemoryOptions.None));

    /// <summary>A part of the buffer; out of range throws.</summary>
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

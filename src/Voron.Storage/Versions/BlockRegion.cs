using Voron.Storage.IO;

namespace Voron.Storage.Versions;

/// <summary>A piece of memory that blocks are carved from.</summary>
/// <param name="address">Its first byte.</param>
/// <param name="lengthBytes">Its length.</param>
/// <param name="memory">Freed with the region; null if another object owns the memory.</param>
internal sealed class BlockRegion(nint address, long lengthBytes, AlignedBuffer? memory = null) : IDisposable
{
    internal BlockRegion(AlignedBuffer memory)
        : this(memory.Address, memory.LengthBytes, memory)
    {
    }

    internal nint Address { get; } = address;

    internal long LengthBytes { get; } = lengthBytes;

    /// <summary>Bytes of it that are blocks by now, in use or free; the rest is not carved, or abandoned.</summary>
    internal long BlockBytes { get; set; }

    internal bool Holds(nint at) => at >= Address && at < Address + LengthBytes;

    public void Dispose() => memory?.Dispose();
}

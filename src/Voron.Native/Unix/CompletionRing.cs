// Unsafe fence. Bounds: the handle of a queue is the address of its ring, which the kernel maps, one page or more, until the queue is
// destroyed; only the header of the ring is read.
using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>The header of the ring in which the kernel reports completed requests of a queue (aio_ring of linux/aio.h).</summary>
[StructLayout(LayoutKind.Sequential)]
internal readonly struct CompletionRing
{
    private const uint KnownMagic = 0xA10A10A1;

    private readonly uint _id;
    private readonly uint _capacity;
    private readonly uint _head;
    private readonly uint _tail;
    private readonly uint _magic;
    private readonly uint _compatibleFeatures;
    private readonly uint _incompatibleFeatures;

    /// <summary>Whether the ring holds an event that was not taken yet; true also for a ring of a kind that is not known.</summary>
    internal static unsafe bool IsUnknownOrHasEvent(nint queue)
    {
        CompletionRing* ring = (CompletionRing*)queue;
        return ring->_magic != KnownMagic || ring->_incompatibleFeatures != 0
            || Volatile.Read(in ring->_head) != Volatile.Read(in ring->_tail);
    }
}

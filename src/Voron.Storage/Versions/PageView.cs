// Unsafe fence. Bounds: both pointers address blocks of the environment's page size (Slots may be a smaller block that holds the header
// and all slots); a reader keeps within the header, Count slots and the heap range that the header names.
using Voron.Storage.Format;

namespace Voron.Storage.Versions;

/// <summary>
/// A page as one snapshot sees it. <see cref="Slots"/> is the page header followed by the slot array, <see cref="Heap"/> the address from
/// which entry offsets count; the two are equal for a page in one block, as in the file. Bytes above the page's heap mark never change
/// while the view is valid.
/// </summary>
internal readonly unsafe struct PageView(byte* slots, byte* heap)
{
    internal readonly byte* Slots = slots;
    internal readonly byte* Heap = heap;

    internal ref PageHeader Header => ref *(PageHeader*)Slots;

    /// <summary>A page in one block as bytes; only for kinds that are never split in slots and heap.</summary>
    internal Span<byte> WholePage(int pageBytes) => new(Slots, pageBytes);
}

// Unsafe fence. Bounds: both blocks come from the page writer; the slots block is SlotBytes long, the heap one page.
namespace Voron.Storage.Trees;

/// <summary>The blocks of a node that is built apart from the node that it will replace.</summary>
internal readonly unsafe struct NodeBlocks(byte* slots, int slotBytes, byte* heap)
{
    internal readonly byte* Slots = slots;
    internal readonly int SlotBytes = slotBytes;
    internal readonly byte* Heap = heap;
}

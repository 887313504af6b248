// Unsafe fence. Bounds: instances live in memory that is only ever reused for other PageVersion instances, so a stale pointer reads a
// version, never foreign bytes; Stamp tells whether it is still the same version.
using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.Versions;

/// <summary>
/// One version of one page, [a, b): visible to snapshots S with a ≤ S &lt; b. Sixty-four bytes of native memory. A version without slots
/// is a marker: the content of that interval is what the data file holds, and the page is not overwritten while a snapshot reads it there.
/// </summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct PageVersion
{
    internal static TransactionId Current => TransactionId.AfterAll;
    internal const int SizeBytes = 64;

    /// <summary>
    /// <see cref="SlotBytes"/> of a marker for a later page of a run. It is valid as long as the run's own version or marker is, and is
    /// undone only together with it.
    /// </summary>
    internal const int LaterPage = 1;

    /// <summary>
    /// Even while linked; odd otherwise and while the content address changes. Readers use it to detect that the version was reused.
    /// </summary>
    internal long Stamp;

    internal PageNumber PageNumber;

    /// <summary>a: the transaction that created the version.</summary>
    internal TransactionId CreatedBy;

    /// <summary>
    /// b: the transaction that replaced or freed it; <see cref="Current"/> until then. Stored before that transaction is published.
    /// </summary>
    internal TransactionId SupersededBy;

    internal byte* Slots;
    internal byte* Heap;
    internal PageVersion* Older;

    /// <summary>
    /// Capacity of the slots block in bytes; negative, and then the complement of a number in <see cref="ChunkViews"/>, when the version
    /// is a view of a mapped page chunk.
    /// </summary>
    internal int SlotBytes;

    /// <summary>Pages of an overflow run; 1 for all others.</summary>
    internal uint PageCount;

    /// <summary>Whether the content of this interval is in the data file, not here.</summary>
    internal readonly bool IsInFile => Slots == null;

    /// <summary>Whether this is a marker of a page of a run other than the first.</summary>
    internal readonly bool IsOfLaterPage => Slots == null && SlotBytes == LaterPage;

    /// <summary>Whether no snapshot is in the interval.</summary>
    internal readonly bool IsEmpty => CreatedBy >= SupersededBy;

    /// <summary>Whether slots and heap are one block: not a node in its divided form.</summary>
    internal readonly bool IsWhole => Slots == Heap;

    /// <summary>Whether the content is in a mapped page chunk: read-only, sealed, and not owned by this version.</summary>
    internal readonly bool IsInChunk => SlotBytes < 0;

    internal readonly PageView View => new(Slots, Heap);

    internal readonly bool IsVisibleTo(TransactionId snapshot) => CreatedBy <= snapshot && snapshot < SupersededBy;

    internal readonly bool IsVisibleToAny(ReadOnlySpan<TransactionId> snapshots)
    {
        foreach (TransactionId snapshot in snapshots)
        {
            if (IsVisibleTo(snapshot))
            {
                return true;
            }
        }

        return false;
    }
}

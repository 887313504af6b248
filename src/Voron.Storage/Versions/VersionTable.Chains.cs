// Unsafe fence. Bounds: as in VersionTable.cs; a pointer that a reader holds always leads to memory of versions.
using System.Diagnostics;
using Voron.Storage.Format;
using Voron.Storage.Threads;

namespace Voron.Storage.Versions;

/// <content>
/// <para>Readers follow chains without the gate and may hold a pointer for any time. They rely on this:</para>
/// <para>1. A version is linked at the head of its page's chain, by <see cref="Link"/> alone, and never moves within the chain. So a
/// pointer to a version that was freed and linked again on the same page still leads past everything that was linked before.</para>
/// <para>2. A version's stamp is even while the version is linked, and odd otherwise. It becomes even after all fields are set and before
/// the head leads to the version, and odd, by <see cref="Unlink"/> alone, after the chain passes by the version and before any field
/// changes. <see cref="TurnIntoView"/> makes it odd and even again around its change. A reader that meets an odd stamp, another stamp
/// behind the fields than before them, or another page, starts again at the head.</para>
/// <para>3. Of a linked version only this changes under an even stamp: b, between "never" and a transaction that no registered snapshot has
/// reached; the address of the content, to none, once the data file has it; and a and b of markers, which lookups pass over.</para>
/// <para>4. Versions with content are linked newest first, and no two of a page are visible to one snapshot. Markers are anywhere.</para>
/// <para>5. A version that a live snapshot sees stays linked until the data file has its content.</para>
/// </content>
internal sealed unsafe partial class VersionTable
{
    /// <summary>Links a new version at the head of its page's chain. The caller fills slots and heap before it publishes.</summary>
    internal PageVersion* Push(PageNumber page, TransactionId createdBy, byte* slots, byte* heap)
    {
        Gate.AssertHeld();
        PageVersion* version = Rent(page, createdBy, PageVersion.Current);
        version->Slots = slots;
        version->Heap = heap;
        Link(version);
        return version;
    }

    /// <summary>Links a marker [a, b): for that interval the data file has the content of the page.</summary>
    /// <param name="page">The page.</param>
    /// <param name="createdBy">a.</param>
    /// <param name="supersededBy">b.</param>
    /// <param name="isLaterPage">The page belongs to a run whose first page has a version or a marker of this interval as well.</param>
    internal PageVersion* PushMarker(PageNumber page, TransactionId createdBy, TransactionId supersededBy, bool isLaterPage = false)
    {
        Gate.AssertHeld();
        PageVersion* marker = Rent(page, createdBy, supersededBy);
        marker->Slots = null;
        marker->Heap = null;
        marker->SlotBytes = isLaterPage ? PageVersion.LaterPage : 0;
        Link(marker);
        return marker;
    }

    /// <summary>Links a version, new or reused, at the head of its page's chain. All other fields are set.</summary>
    internal void Link(PageVersion* version)
    {
        Gate.AssertHeld();
        Debug.Assert((version->Stamp & 1) != 0, "a version that is linked already");
        ref nint head = ref HeadForChange(version->PageNumber);
        version->Older = (PageVersion*)head;
        Volatile.Write(ref version->Stamp, (version->Stamp | 1) + 1);
        Scheduling.Pass(SchedulingPoint.Chain);
        Volatile.Write(ref head, (nint)version);
    }

    /// <summary>Takes a version out of its chain; its other fields stay as they are.</summary>
    internal void Unlink(PageVersion* version)
    {
        Gate.AssertHeld();
        Volatile.Write(ref LinkTo(version), (nint)version->Older);
        Scheduling.Pass(SchedulingPoint.Chain);
        Volatile.Write(ref version->Stamp, version->Stamp | 1);

        // No later store to the version may be seen before the stamp is.
        Volatile.WriteBarrier();
    }

    /// <summary>
    /// Makes this image in a mapped chunk the content of the version. A reader that meets it meanwhile starts again. The caller keeps the
    /// old blocks until the readers that may have found them have ended.
    /// </summary>
    internal void TurnIntoView(PageVersion* version, nint image, int chunk)
    {
        Gate.AssertHeld();
        Volatile.Write(ref version->Stamp, version->Stamp + 1);
        Volatile.WriteBarrier();
        version->Slots = (byte*)image;
        version->Heap = (byte*)image;
        version->SlotBytes = ~chunk;
        Volatile.Write(ref version->Stamp, version->Stamp + 1);
        Chunks.Count(chunk);
    }

    private bool TryFindInChain(PageVersion* head, PageNumber page, TransactionId snapshot, out PageView view)
    {
        PageVersion* version = head;
        while (version != null)
        {
            long stamp = Volatile.Read(ref version->Stamp);
            PageNumber number = version->PageNumber;
            bool visible = version->IsVisibleTo(snapshot);
            byte* slots = version->Slots;
            byte* heap = version->Heap;
            PageVersion* older = version->Older;
            Volatile.ReadBarrier();
            bool isAnother = Volatile.Read(ref version->Stamp) != stamp || (stamp & 1) != 0 || number != page;
            if (isAnother)
            {
                // The version was unlinked, or it is being changed. The version that this snapshot sees is found from the present head, or
                // the data file has its content by now.
                Scheduling.Pass(SchedulingPoint.Chain);
                version = Head(page);
                continue;
            }

            if (visible && slots != null)
            {
                view = new PageView(slots, heap);
                return true;
            }

            version = older;
        }

        view = default;
        return false;
    }

    private PageVersion* Rent(PageNumber page, TransactionId createdBy, TransactionId supersededBy)
    {
        PageVersion* version = Memory.RentVersion();
        version->PageNumber = page;
        version->CreatedBy = createdBy;
        version->SupersededBy = supersededBy;
        version->SlotBytes = 0;
        version->PageCount = 1;
        return version;
    }

    /// <summary>Returns the link to a version: the head of its chain, or the link of the version before it.</summary>
    private ref nint LinkTo(PageVersion* version)
    {
        ref nint link = ref HeadForChange(version->PageNumber);
        while (link != (nint)version)
        {
            Debug.Assert(link != 0, "a version that is in no chain");
            link = ref *(nint*)&((PageVersion*)link)->Older;
        }

        return ref link;
    }
}

// Unsafe fence. Bounds: parts hold PartPages heads each and are indexed by page number modulo that.
using System.Runtime.CompilerServices;
using Voron.Storage.IO;

namespace Voron.Storage.Versions;

/// <summary>A sparse two-level table from the number of a page to its newest version. Read without a lock.</summary>
internal unsafe struct HeadTable
{
    internal const int PartShift = 10;
    internal const int PartPages = 1 << PartShift;

    private nint[] _parts = [];

    public HeadTable()
    {
    }

    /// <summary>Number of parts, of which some may not be there.</summary>
    internal readonly int Parts => Volatile.Read(in _parts).Length;

    /// <summary>The heads of a part; null if it is not there. The part must be below <see cref="Parts"/>.</summary>
    internal readonly nint* Part(long part) => (nint*)Volatile.Read(ref Volatile.Read(in _parts)[part]);

    /// <summary>Returns the head of a number; false if the table does not reach that far.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly bool TryGet(long number, out PageVersion* head)
    {
        nint[] parts = Volatile.Read(in _parts);
        ulong part = (ulong)number >> PartShift;
        if (part >= (ulong)parts.Length)
        {
            head = null;
            return false;
        }

        nint heads = Volatile.Read(ref parts[part]);
        head = heads == 0 ? null : (PageVersion*)Volatile.Read(ref ((nint*)heads)[number & (PartPages - 1)]);
        return true;
    }

    /// <summary>Returns the place of a head, and makes it if it is not there. Requires the gate of the versions.</summary>
    internal ref nint ForChange(long number)
    {
        const int FewParts = 16;
        long part = number >> PartShift;
        if (part >= _parts.Length)
        {
            nint[] larger = new nint[Math.Max(part + 1, Math.Max(FewParts, _parts.Length * 2L))];
            _parts.CopyTo(larger, 0);
            Volatile.Write(ref _parts, larger);
        }

        if (_parts[part] == 0)
        {
            Volatile.Write(ref _parts[part], (nint)SystemMemory.AllocateZeroed(PartPages * sizeof(nint)));
        }

        return ref ((nint*)_parts[part])[number & (PartPages - 1)];
    }

    internal void Free()
    {
        foreach (nint part in _parts)
        {
            SystemMemory.Free((void*)part);
        }

        _parts = [];
    }
}

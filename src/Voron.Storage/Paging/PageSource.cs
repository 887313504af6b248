// Unsafe fence. Bounds: a run is read only within the pages that its own verified header, or its version in memory, says it has.
using System.Runtime.CompilerServices;
using Voron.Storage.Format;

namespace Voron.Storage.Paging;

/// <summary>Where pages are read: the version in memory that the snapshot sees, else the verified page of the data file.</summary>
internal sealed unsafe class PageSource(VersionTable versions, MappedPages mapped, int pageBytes)
{
    internal int PageBytes { get; } = pageBytes;

    internal VersionTable Versions { get; } = versions;

    internal MappedPages Mapped { get; } = mapped;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PageView Read(long page, long snapshot) =>
        Versions.TryFind(page, snapshot, out PageView view) ? view : Mapped.Read(page);

    /// <summary>A page that will be read soon: asks for its version's description, or verifies it in the data file.</summary>
    internal void Fetch(long page)
    {
        if (!Versions.TryFetch(page))
        {
            Mapped.Read(page);
        }
    }

    /// <summary>The value in an overflow run, valid as long as the snapshot.</summary>
    internal ReadOnlySpan<byte> ReadOverflow(OverflowReference reference, long snapshot)
    {
        PageView view = Read(reference.FirstPage, snapshot);
        ref OverflowHeader header = ref *(OverflowHeader*)view.Slots;
        long room = (header.PageCount * (long)PageBytes) - OverflowHeader.SizeBytes;
        bool fits = reference.ValueBytes >= 0 && reference.ValueBytes <= Math.Min(room, int.MaxValue);
        if (header.Kind != PageKind.Overflow || !fits)
        {
            Throw.WrongPage(
                "the data file",
                reference.FirstPage,
                $"an overflow run with a value of {reference.ValueBytes} bytes",
                $"kind {(byte)header.Kind} with room for {room}");
        }

        return new ReadOnlySpan<byte>(view.Slots + OverflowHeader.SizeBytes, (int)reference.ValueBytes);
    }
}

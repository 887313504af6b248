// Unsafe fence. Bounds: every page number is checked against the mapped length before the map is touched, and a run against it as a whole.
using System.Runtime.CompilerServices;
using Voron.Storage.Format;
using Voron.Storage.Platform;

namespace Voron.Storage.Paging;

/// <summary>
/// The data file through its read-only map. A page's checksum and identity are verified at its first touch; the bit that remembers it is
/// cleared before the page is written anew. Growing publishes a new address and then a new length; old addresses stay good.
/// </summary>
internal sealed unsafe class MappedPages(int pageBytes, string path)
{
    private readonly int _pageShift = System.Numerics.BitOperations.Log2((uint)pageBytes);
    private byte* _base;
    private long _pages;
    private long[] _verified = [];

    /// <summary>Without a base, as in a salvage, pages of every transaction count.</summary>
    private long _newestTransaction = long.MaxValue;

    internal long Pages => Volatile.Read(ref _pages);

    /// <summary>
    /// Images that count instead of what the file holds; a page under one is never remembered as verified, so it is looked for here.
    /// </summary>
    internal PageOverlay Overlay { get; } = new(pageBytes);

    /// <summary>
    /// N of the newest checkpoint. A later page that the snapshot reaches in the file was written for a checkpoint that is lost, over one
    /// that its base needs. Pages that a checkpoint writes before its batch is complete are free in the base, so nobody reads them here.
    /// </summary>
    internal long NewestTransaction
    {
        get => Volatile.Read(ref _newestTransaction);
        set => Volatile.Write(ref _newestTransaction, value);
    }

    /// <summary>The page, verified. Throws when it is out of range or damaged.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PageView Read(long page)
    {
        if ((ulong)page >= (ulong)Volatile.Read(ref _pages))
        {
            Throw.PageOutOfRange(page, _pages);
        }

        byte* address = _base + (page << _pageShift);
        return (_verified[page >> 6] & (1L << (int)(page & 63))) != 0 ? new PageView(address, address) : FirstTouch(page, address);
    }

    internal void Extend(nint address, long bytes)
    {
        long pages = bytes >> _pageShift;
        if (((pages + 63) >> 6) > _verified.Length)
        {
            long[] larger = new long[Math.Max((pages + 63) >> 6, _verified.Length * 2L)];
            _verified.CopyTo(larger, 0);
            Volatile.Write(ref _verified, larger);
        }

        _base = (byte*)address;
        Volatile.Write(ref _pages, pages);
    }

    /// <summary>
    /// The pages from this one on are gone: no snapshot reads them, and what stands there later is verified anew. That is a second belt,
    /// for what stands there later was written, and forgotten then.
    /// </summary>
    internal void Shrink(long pages)
    {
        long old = _pages;
        Volatile.Write(ref _pages, pages);
        for (long page = pages; page < old; page++)
        {
            Interlocked.And(ref _verified[page >> 6], ~(1L << (int)(page & 63)));
        }
    }

    /// <summary>The pages are about to be rewritten: they are verified again at their next touch.</summary>
    internal void Forget(long page, long count)
    {
        if (Sabotage.Is(SabotageRule.KeepVerifiedBit))
        {
            return;
        }

        long end = Math.Min(page + count, _pages);
        for (long p = page; p < end; p++)
        {
            Interlocked.And(ref _verified[p >> 6], ~(1L << (int)(p & 63)));
        }
    }

    /// <summary>
    /// Throws unless the map shows the page, or run, that this transaction made: what was written must be what readers will see before
    /// they are sent here. Their first touch verifies it again, for what became of it meanwhile.
    /// </summary>
    internal void Confirm(long page, long transactionId)
    {
        if ((ulong)page >= (ulong)_pages)
        {
            Throw.PageOutOfRange(page, _pages);
        }

        byte* address = _base + (page << _pageShift);
        Check(page, address);
        long found = ((PageHeader*)address)->TransactionId;
        if (found != transactionId)
        {
            Throw.WrongPage(path, page, $"what transaction {transactionId} wrote", $"a page of transaction {found}");
        }
    }

    /// <summary>What a run in the data file says its checksum is; null when no run of this many pages can begin there.</summary>
    internal ulong? ChecksumOfRun(long page, long count)
    {
        if (page < 0 || page > _pages - count)
        {
            return null;
        }

        OverflowHeader* header = (OverflowHeader*)(_base + (page << _pageShift));
        return header->Kind == PageKind.Overflow && header->PageNumber == page && header->PageCount == count ? header->Checksum : null;
    }

    private PageView FirstTouch(long page, byte* address)
    {
        if (!Overlay.IsEmpty && Overlay.TryFind(page, out PageView image))
        {
            return image;
        }

        Verify(page, address);
        return new PageView(address, address);
    }

    private void Verify(long page, byte* address)
    {
        Check(page, address);
        Interlocked.Or(ref _verified[page >> 6], 1L << (int)(page & 63));
    }

    private void Check(long page, byte* address)
    {
        if (Examine(page, address, out ulong expected, out ulong found) is { } problem && !Sabotage.Is(SabotageRule.SkipFirstTouch))
        {
            if (expected != found)
            {
                Throw.BadChecksum(path, page, expected, found);
            }

            Throw.WrongPage(path, page, "a page of this number and a known kind", problem);
        }

        ref PageHeader header = ref *(PageHeader*)address;
        bool isFromCheckpoint = header.Kind != PageKind.Overflow || header.Flags == OverflowHeader.FromCheckpoint;
        long newest = NewestTransaction;
        if (isFromCheckpoint && header.TransactionId > newest && !Sabotage.Is(SabotageRule.AcceptLaterPage))
        {
            Throw.LaterPage(path, page, newest, header.TransactionId);
        }
    }

    /// <summary>Of more bytes, too, than a span can have.</summary>
    private static ulong ChecksumOf(byte* address, long bytes)
    {
        const int PieceBytes = 1 << 30;
        RunningChecksum checksum = new(bytes);
        for (long done = 0; done < bytes; done += PieceBytes)
        {
            checksum.Append(new ReadOnlySpan<byte>(address + done, (int)Math.Min(PieceBytes, bytes - done)));
        }

        return checksum.Value;
    }

    private string? Examine(long page, byte* address, out ulong expected, out ulong found)
    {
        ref PageHeader header = ref *(PageHeader*)address;
        expected = header.Checksum;
        found = expected;
        long count = 1;
        if (header.Kind == PageKind.Overflow)
        {
            count = ((OverflowHeader*)address)->PageCount;
            if (count < 1 || count > _pages - page)
            {
                return $"a run of {count} pages in a file of {_pages}";
            }
        }

        found = ChecksumOf(address + sizeof(ulong), (count << _pageShift) - sizeof(ulong));
        if (found != expected)
        {
            return $"checksum {found:x16} where the page says {expected:x16}";
        }

        if (header.PageNumber != page && !Sabotage.Is(SabotageRule.AcceptMisplacedPage))
        {
            return $"page number {header.PageNumber}";
        }

        bool isKnown = header.Kind is PageKind.Leaf or PageKind.Branch or PageKind.Overflow or PageKind.SpaceMap;
        return isKnown ? null : $"kind {(byte)header.Kind}";
    }
}

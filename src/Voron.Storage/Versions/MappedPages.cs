// Unsafe fence. Bounds: every page number is checked against the mapped length before the map is touched, and a run against it as a whole.
using System.Runtime.CompilerServices;
using Voron.Storage.Format;

namespace Voron.Storage.Versions;

/// <summary>
/// The data file through its read-only map. Checksum and identity of a page are verified at its first use; the bit that remembers it is
/// cleared before the page is rewritten, and now and then if the file is larger than memory (see <see cref="ColdReads"/>). Growing
/// publishes a new address and then a new length; old addresses stay valid. Reading the map where the device cannot read ends the process.
/// So before its first use a page is brought into memory by a call that can fail. A page that leaves memory later and cannot be read again
/// still ends the process; checks and salvages, which are made for failing devices, therefore read every page by position, into buffers.
/// </summary>
/// <param name="pageBytes">Page size of the database.</param>
/// <param name="file">The data file.</param>
/// <param name="buffers">If given, all pages are read by position, and a page is valid as long as its hold.</param>
internal sealed unsafe class MappedPages(int pageBytes, IDiskFile file, PageBuffers? buffers = null)
{
    private readonly int _pageShift = System.Numerics.BitOperations.Log2((uint)pageBytes);
    private byte* _base;
    private long _pages;

    /// <summary>A bit for each page that may be read without further ado.</summary>
    private long[] _ready = [];
    private ColdReads? _cold;

    /// <summary>The mapped pages that this object reads by position.</summary>
    private MappedPages? _of;

    /// <summary>Without a base, as in a salvage, pages of every transaction count.</summary>
    private long _newestValue = long.MaxValue;

    /// <summary>Whether the file is larger than memory, so that pages are worth asking for before they are read.</summary>
    internal bool IsCold => _cold is not null;

    internal long Pages => buffers is null ? Volatile.Read(ref _pages) : PagesOfFile();

    /// <summary>One past the last page.</summary>
    internal PageNumber EndPage => new(Pages);

    /// <summary>
    /// Images that replace what the file has. A page under one is never marked as verified, so it is always looked up here.
    /// </summary>
    internal PageOverlay Overlay { get; private init; } = new(pageBytes);

    /// <summary>
    /// N of the newest checkpoint. A later page that the snapshot reaches in the file was written for a checkpoint that is lost, over one
    /// that its base needs. Pages that a checkpoint writes before its image set is complete are free in the base, so no read reaches them.
    /// </summary>
    internal TransactionId NewestTransaction
    {
        get => new(Volatile.Read(ref (_of ?? this)._newestValue));
        set => Volatile.Write(ref _newestValue, value.Value);
    }

    /// <summary>Returns the page, verified. Throws if it is out of range or damaged.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PageView Read(PageNumber page)
    {
        if ((ulong)page.Value >= (ulong)Volatile.Read(ref _pages))
        {
            return Beyond(page);
        }

        byte* address = _base + OffsetOf(page);
        return IsReady(page) ? new PageView(address, address) : FirstTouch(page, address);
    }

    /// <summary>Returns the same pages, with the same images over them, read by position.</summary>
    internal MappedPages ByPosition(PageBuffers into) => new(pageBytes, file, into) { Overlay = Overlay, _of = this };

    /// <summary>Keeps the pages read from now on valid until the hold ends; has no effect on pages in the map.</summary>
    internal PageBuffers.Hold Hold() => buffers?.Begin() ?? default;

    internal void Extend(nint address, long bytes)
    {
        long pages = bytes >> _pageShift;
        if (((pages + 63) >> 6) > _ready.Length)
        {
            long[] larger = new long[Math.Max((pages + 63) >> 6, _ready.Length * 2L)];
            _cold?.Extend(larger.Length);
            _ready.CopyTo(larger, 0);
            Volatile.Write(ref _ready, larger);
        }

        _base = (byte*)address;
        Volatile.Write(ref _pages, pages);
    }

    /// <summary>Has pages asked for before they are touched, since the file is larger than memory.</summary>
    internal void BeginColdReads(long memoryBytes)
    {
        ColdReads cold = new(file, _pageShift, memoryBytes);
        cold.Extend(_ready.Length);
        Volatile.Write(ref _cold, cold);
    }

    /// <summary>
    /// Asks for a page that is read soon, if the file is larger than memory and it was not read lately; a wrong page number is left to the
    /// reader.
    /// </summary>
    internal void ReadAhead(PageNumber page)
    {
        if (_cold is not null && (ulong)page.Value < (ulong)Volatile.Read(ref _pages) && !IsReady(page))
        {
            Request(page);
        }
    }

    /// <summary>As above, also if it was read lately: the system may have evicted it.</summary>
    internal void Request(PageNumber page)
    {
        if (_cold is { } cold && (ulong)page.Value < (ulong)Volatile.Read(ref _pages))
        {
            cold.Request(page, 1);
        }
    }

    /// <summary>Asks for pages that are verified soon; without effect if they are not all in the file.</summary>
    internal void ReadAhead(PageNumber first, long count)
    {
        if (HasRun(first, count))
        {
            file.ReadAhead(OffsetOf(first), count << _pageShift);
        }
    }

    /// <summary>Brings pages into memory by one call, for <see cref="Verify"/>; false if each of them is to be read.</summary>
    internal bool TryBringIn(PageNumber first, long count) =>
        buffers is null && _cold is null && Overlay.IsEmpty && HasRun(first, count) && !BringIn(first, count).Failed;

    /// <summary>Verifies a page that was brought into memory just now, at its first use.</summary>
    internal void Verify(PageNumber page)
    {
        if (!IsReady(page))
        {
            Check(page, _base + OffsetOf(page), isIn: true);
            MarkReady(page);
        }
    }

    /// <summary>Removes the pages from this one on: no snapshot reads them, and what is written there later is verified again.</summary>
    internal void Shrink(long pages)
    {
        long old = _pages;
        Volatile.Write(ref _pages, pages);
        for (PageNumber page = new(pages); page.Value < old; page++)
        {
            ForgetOne(page);
        }
    }

    /// <summary>Clears the marks of pages that are about to be rewritten: they are verified again at their next use.</summary>
    internal void Forget(PageNumber page, long count)
    {
        PageNumber end = PageNumber.Min(page + count, new PageNumber(_pages));
        for (PageNumber p = page; p < end; p++)
        {
            ForgetOne(p);
        }
    }

    /// <summary>
    /// Throws unless the map shows the page, or run, that this transaction made: readers must see what was written before they are sent
    /// here. Their first use verifies it again, for what happened since.
    /// </summary>
    internal void Confirm(PageNumber page, TransactionId transactionId)
    {
        if ((ulong)page.Value >= (ulong)_pages)
        {
            Throw.PageOutOfRange(page, _pages);
        }

        byte* address = _base + OffsetOf(page);
        Check(page, address);
        TransactionId found = ((PageHeader*)address)->TransactionId;
        if (found != transactionId)
        {
            Throw.WrongPage(file.Path, page, $"what transaction {transactionId} wrote", $"a page of transaction {found}");
        }
    }

    /// <summary>Whether a run of this many pages, at least one, can begin there.</summary>
    internal bool HasRun(PageNumber first, long count) => first.Value >= 0 && first <= EndPage - count;

    /// <summary>
    /// Returns the checksum that a run in the data file names; null if no run of this many pages can begin there. Reads by position.
    /// </summary>
    internal ulong? ChecksumOfRun(PageNumber page, long count) => HeaderOfRun(page, count)?.Checksum;

    /// <summary>Like <see cref="ChecksumOfRun"/>: the whole head.</summary>
    internal OverflowHeader? HeaderOfRun(PageNumber page, long count)
    {
        if (!HasRun(page, count))
        {
            return null;
        }

        OverflowHeader header = default;
        IoError error = file.Read(OffsetOf(page), new Span<byte>(&header, sizeof(OverflowHeader)), out _);
        IO.Throw.IfFailed(error.IsUnreadable ? IoError.Success : error, "read", file.Path, OffsetOf(page));
        return header.Kind == PageKind.Overflow && header.PageNumber == page && header.PageCount == count ? header : null;
    }

    /// <summary>Whether the file has exactly this page, undamaged.</summary>
    internal bool Holds(PageNumber page, ulong checksum)
    {
        try
        {
            return Read(page).Header.Checksum == checksum;
        }
        catch (StorageException error) when (error.IsOfDamage)
        {
            return false;
        }
    }

    private long OffsetOf(PageNumber page) => page.Value << _pageShift;

    private bool IsReady(PageNumber page) => (_ready[page.WordIndex] & (1L << page.BitIndex)) != 0;

    private void MarkReady(PageNumber page) => Interlocked.Or(ref _ready[page.WordIndex], 1L << page.BitIndex);

    private PageView Beyond(PageNumber page)
    {
        if (buffers is null)
        {
            Throw.PageOutOfRange(page, _pages);
        }

        try
        {
            return ReadByPosition(page);
        }
        catch (StorageException error) when (error.IsOfDamage)
        {
            // A read that fails once may succeed the second time.
            return ReadByPosition(page);
        }
    }

    private PageView ReadByPosition(PageNumber page)
    {
        bool isImage = Overlay.TryPlace(page, out IDiskFile? from, out long offset);
        from = isImage ? from! : file;
        offset = isImage ? offset : OffsetOf(page);
        if (!isImage && (ulong)page.Value > (ulong)(long.MaxValue >> _pageShift))
        {
            Throw.PageOutOfRange(page, PagesOfFile());
        }

        byte* address = Fill(page, from, offset, 1);
        OverflowHeader* run = (OverflowHeader*)address;
        if (run->Kind == PageKind.Overflow && run->PageCount > 1 && (isImage || run->PageCount <= EndPage - page))
        {
            address = Fill(page, from, offset, run->PageCount);
        }

        Check(page, address);
        return new PageView(address, address);
    }

    private long PagesOfFile()
    {
        IO.Throw.IfFailed(file.GetLength(out long bytes), "read the length of", file.Path);
        return bytes >> _pageShift;
    }

    private byte* Fill(PageNumber page, IDiskFile from, long offset, long count)
    {
        const int PieceBytes = 1 << 30;
        long bytes = count << _pageShift;
        byte* address = (byte*)buffers!.Take(bytes);
        for (long done = 0; done < bytes; done += PieceBytes)
        {
            int length = (int)Math.Min(PieceBytes, bytes - done);
            IoError error = from.Read(offset + done, new Span<byte>(address + done, length), out int read);
            if (error.IsUnreadable)
            {
                Throw.Unreadable(from.Path, page, error);
            }

            IO.Throw.IfFailed(error, "read", from.Path, offset + done);
            if (read < length)
            {
                Throw.PageOutOfRange(page, PagesOfFile());
            }
        }

        return address;
    }

    private PageView FirstTouch(PageNumber page, byte* address)
    {
        if (!Overlay.IsEmpty && Overlay.TryFind(page, out PageView image))
        {
            return image;
        }

        if (_cold is { } cold)
        {
            BringInAgain(page, address, cold);
        }
        else
        {
            Check(page, address);
        }

        MarkReady(page);
        return new PageView(address, address);
    }

    /// <summary>Brings a page into memory that may have been evicted, and verifies it if that was not done since it was written.</summary>
    private void BringInAgain(PageNumber page, byte* address, ColdReads cold)
    {
        if (cold.IsSound(page))
        {
            Populate(page, address);
        }
        else
        {
            Check(page, address);
            cold.MarkSound(page);
        }

        if (cold.TryBeginAnew())
        {
            Array.Clear(_ready);
        }
    }

    private void ForgetOne(PageNumber page)
    {
        _cold?.Forget(page);
        Interlocked.And(ref _ready[page.WordIndex], ~(1L << page.BitIndex));
    }

    /// <summary>Brings a page, or the run that begins there, into memory, unless it is read by position.</summary>
    private void Populate(PageNumber page, byte* address)
    {
        if (buffers is not null)
        {
            return;
        }

        IoError error = BringIn(page, 1);
        if (!error.Failed && ((PageHeader*)address)->Kind == PageKind.Overflow)
        {
            long count = ((OverflowHeader*)address)->PageCount;
            error = count > 1 && count <= EndPage - page ? BringIn(page, count) : error;
        }

        if (error.Failed)
        {
            Throw.Unreadable(file.Path, page, error);
        }
    }

    private IoError BringIn(PageNumber page, long count)
    {
        _cold?.Request(page, count);
        return file.Populate(OffsetOf(page), count << _pageShift);
    }

    private void Check(PageNumber page, byte* address, bool isIn = false)
    {
        // Damage may have put a run in the place of a page: the rest of it was not brought in.
        if (!isIn || ((PageHeader*)address)->Kind == PageKind.Overflow)
        {
            Populate(page, address);
        }

        if (PageCheck.Find(page, address, _pageShift, Pages, out ulong expected, out ulong found) is { } problem)
        {
            if (expected != found)
            {
                Throw.BadChecksum(file.Path, page, expected, found);
            }

            Throw.WrongPage(file.Path, page, "a page of this number and a known kind", problem);
        }

        ref PageHeader header = ref *(PageHeader*)address;
        bool isFromCheckpoint = header.Kind != PageKind.Overflow || header.Flags == OverflowHeader.FromCheckpoint;
        TransactionId newest = NewestTransaction;
        if (isFromCheckpoint && header.TransactionId > newest)
        {
            Throw.LaterPage(file.Path, page, newest, header.TransactionId);
        }
    }
}

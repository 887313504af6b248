using Voron.Storage.Format;

namespace Voron.Storage.Versions;

/// <summary>
/// Reads of a data file that memory does not hold. Without advice the system reads up to megabytes around each page that is touched, and
/// evicts others for them; told that reads are random, it fetches a page in pieces, one fault after the other. So pages are asked for as
/// a whole before they are touched, and those of a scan or of several keys all at once.
/// <para>Nothing tells when the system evicts a page. So after a number of pages that were missing, all pages count as untouched again:
/// the next use of each asks first, but does not compute its checksum anew. A page that is touched before it has arrived counts twice.
/// </para>
/// </summary>
/// <param name="file">The data file.</param>
/// <param name="pageShift">Binary logarithm of the page size.</param>
/// <param name="memoryBytes">Memory that the process may use.</param>
internal sealed class ColdReads(IDiskFile file, int pageShift, long memoryBytes)
{
    /// <summary>At most this share of memory is read before all pages count as untouched again.</summary>
    private const int SharesOfMemory = 16;

    private const long LeastMisses = 1024;

    private readonly long _missesToForget = Math.Max(LeastMisses, (memoryBytes >> pageShift) / SharesOfMemory);

    /// <summary>A bit for each page whose checksum was verified since it was last rewritten.</summary>
    private long[] _sound = [];
    private long _misses;

    /// <summary>Whether this page was verified since it was last rewritten.</summary>
    internal bool IsSound(PageNumber page) => (_sound[page.WordIndex] & (1L << page.BitIndex)) != 0;

    internal void MarkSound(PageNumber page) => Interlocked.Or(ref _sound[page.WordIndex], 1L << page.BitIndex);

    internal void Forget(PageNumber page) => Interlocked.And(ref _sound[page.WordIndex], ~(1L << page.BitIndex));

    /// <summary>Prepares for this many words of bits.</summary>
    internal void Extend(int words)
    {
        if (words > _sound.Length)
        {
            long[] larger = new long[words];
            _sound.CopyTo(larger, 0);
            Volatile.Write(ref _sound, larger);
        }
    }

    /// <summary>Asks for pages that are about to be read, without waiting for them.</summary>
    internal void Request(PageNumber page, long count)
    {
        long offset = page.Value << pageShift;
        long bytes = count << pageShift;
        if (!file.IsInMemory(offset, bytes))
        {
            file.ReadAhead(offset, bytes);
            Interlocked.Add(ref _misses, count);
        }
    }

    /// <summary>Whether enough pages were missing that many others have been evicted for them; begins to count anew.</summary>
    internal bool TryBeginAnew() =>
        Volatile.Read(ref _misses) >= _missesToForget && Interlocked.Exchange(ref _misses, 0) >= _missesToForget;
}

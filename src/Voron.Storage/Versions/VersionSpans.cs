// Unsafe fence. Bounds: chains are those of the version table, whose gate is held while they are followed.
using Voron.Storage.Threads;

namespace Voron.Storage.Versions;

/// <summary>Finds the pages of a range that a thread may still read, or write, in a version that memory or the data file has.</summary>
internal static unsafe class VersionSpans
{
    /// <summary>
    /// Returns the last page of a range that any version covers, markers and later pages of runs included; −1 if there is none. No run in
    /// memory is longer than <paramref name="longestRun"/> pages.
    /// </summary>
    internal static long LastWithVersion(VersionTable versions, long first, long count, long longestRun)
    {
        long end = first + count;
        using (versions.Gate.Hold())
        {
            long freed = versions.Freed.Last(first, end);
            if (freed >= 0)
            {
                return freed;
            }

            for (long page = end - 1; page > first - longestRun && page >= 0; page--)
            {
                for (PageVersion* version = versions.Head(page); version != null; version = version->Older)
                {
                    long last = page + version->PageCount - 1;
                    if (last >= first)
                    {
                        return Math.Min(last, end - 1);
                    }
                }
            }
        }

        return -1;
    }
}

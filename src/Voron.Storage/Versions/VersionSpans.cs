// Unsafe fence. Bounds: chains are those of the version table, whose gate is held while they are followed.
using Voron.Storage.Format;
using Voron.Storage.Threads;

namespace Voron.Storage.Versions;

/// <summary>Finds the pages of a range that a thread may still read, or write, in a version that memory or the data file has.</summary>
internal static unsafe class VersionSpans
{
    /// <summary>
    /// Returns the last page of a range that any version covers, markers and later pages of runs included;
    /// <see cref="PageNumber.None"/> if there is none. No run in memory is longer than <paramref name="longestRun"/> pages.
    /// </summary>
    internal static PageNumber LastWithVersion(VersionTable versions, PageNumber first, long count, long longestRun)
    {
        PageNumber end = first + count;
        using (versions.Gate.Hold())
        {
            PageNumber freed = versions.Freed.Last(first, end);
            if (freed != PageNumber.None)
            {
                return freed;
            }

            for (PageNumber page = end - 1; page > first - longestRun && page.Value >= 0; page--)
            {
                for (PageVersion* version = versions.Head(page); version != null; version = version->Older)
                {
                    PageNumber last = page + version->PageCount - 1;
                    if (last >= first)
                    {
                        return PageNumber.Min(last, end - 1);
                    }
                }
            }
        }

        return PageNumber.None;
    }
}

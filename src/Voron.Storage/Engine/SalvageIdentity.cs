using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Platform;

namespace Voron.Storage.Engine;

/// <summary>Page size and database id of a damaged database: from a header slot, else from what its pages and chunks say.</summary>
internal sealed record SalvageIdentity(int PageBytes, DatabaseId DatabaseId, HeaderSlot? Slot)
{
    private const int PagesLookedAt = 64;

    internal static SalvageIdentity Find(IDisk disk, DatabasePaths paths, IDiskFile file)
    {
        try
        {
            HeaderSlot slot = HeaderSlots.Read(file)[0];
            return new SalvageIdentity((int)slot.PageBytes, new DatabaseId(slot.DatabaseIdLow, slot.DatabaseIdHigh), slot);
        }
        catch (StorageException error) when (error is StorageCorruptException or NotADatabaseException)
        {
            return new SalvageIdentity(GuessPageBytes(file), JournalFiles.GuessDatabaseId(disk, paths.Journal), null);
        }
    }

    /// <summary>The size at which most of the first pages pass their checksums.</summary>
    private static int GuessPageBytes(IDiskFile file)
    {
        int best = 0;
        int bestCount = 0;
        for (int pageBytes = FormatConstants.MinPageBytes; pageBytes <= FormatConstants.MaxPageBytes; pageBytes *= 2)
        {
            int count = CountSound(file, pageBytes);
            (best, bestCount) = count > bestCount ? (pageBytes, count) : (best, bestCount);
        }

        if (best == 0)
        {
            Throw.NotADatabase(file.Path, "neither a header slot nor any of its first pages is sound");
        }

        return best;
    }

    private static int CountSound(IDiskFile file, int pageBytes)
    {
        byte[] page = new byte[pageBytes];
        int count = 0;
        for (long number = FormatConstants.CatalogRootPage; number < FormatConstants.CatalogRootPage + PagesLookedAt; number++)
        {
            Platform.Throw.IfFailed(file.Read(number * pageBytes, page, out int read), "read", file.Path, number * pageBytes);
            PageHeader header = MemoryMarshal.Read<PageHeader>(page);
            bool isSound = read == pageBytes
                && header.PageNumber == number
                && header.Checksum == Checksum.Compute(page.AsSpan(sizeof(ulong)));
            count += isSound ? 1 : 0;
        }

        return count;
    }
}

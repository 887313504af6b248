using Voron.Storage.Checkpoints;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Journal;

namespace Voron.Storage.Rescue;

/// <summary>Page size and database id of a damaged database: from a header slot, otherwise from its pages and chunks.</summary>
internal sealed record SalvageIdentity(int PageBytes, DatabaseId DatabaseId, HeaderSlot? Slot)
{
    /// <summary>Whether some tree may be no ordered one. What the header does not rule out may be.</summary>
    internal bool MayHaveBlocks =>
        Slot is not { } slot || (slot.Features & (FormatFeatures.MultiTrees | FormatFeatures.FixedTrees)) != FormatFeatures.None;

    internal static SalvageIdentity Find(IDisk disk, DatabasePaths paths, IDiskFile file)
    {
        try
        {
            HeaderSlot slot = HeaderSlots.Read(disk, paths, file)[0];
            return new SalvageIdentity((int)slot.PageBytes, new DatabaseId(slot.DatabaseIdLow, slot.DatabaseIdHigh), slot);
        }
        catch (StorageException error) when (error is StorageCorruptException or NotADatabaseException or StorageIOException)
        {
            return new SalvageIdentity(GuessPageBytes(disk, paths, file), JournalFiles.GuessDatabaseId(disk, paths.Journal), null);
        }
    }

    private static int GuessPageBytes(IDisk disk, DatabasePaths paths, IDiskFile file)
    {
        int pageBytes = HeaderSlots.GuessPageBytes(file);
        if (pageBytes == 0)
        {
            HeaderSlots.RefuseForeign(disk, paths, "neither a header slot nor any of its first pages is sound");
        }

        return pageBytes;
    }
}

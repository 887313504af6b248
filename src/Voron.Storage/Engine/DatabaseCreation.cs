using System.Runtime.InteropServices;
using Voron.Storage.Checkpoints;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Pages;
using Voron.Storage.Versions;

namespace Voron.Storage.Engine;

/// <summary>
/// Creates a database: the data file is built under another name, made durable and then renamed, so that a crash leaves nothing or all of
/// it.
/// </summary>
internal static class DatabaseCreation
{
    /// <param name="disk">The disk.</param>
    /// <param name="paths">Where the database will be.</param>
    /// <param name="pageBytes">Its page size.</param>
    /// <param name="before">The transaction before its first one: not None in a database that goes on with the numbers of another.</param>
    internal static void Create(IDisk disk, DatabasePaths paths, int pageBytes, TransactionId before = default)
    {
        IO.Throw.IfFailed(disk.CreateDirectory(paths.Journal), "create", paths.Journal);
        RefuseLeftoverJournal(disk, paths);
        IO.Throw.IfFailed(
            disk.OpenFile(paths.NewDataFile, FileOpening.Create, out IDiskFile? file), "create", paths.NewDataFile);
        using (file)
        {
            Fill(disk, file!, pageBytes, before);
        }

        SyncParents(disk, paths);
        IO.Throw.IfFailed(disk.Rename(paths.NewDataFile, paths.DataFile), "rename", paths.NewDataFile);

        // The open that follows syncs the directory again before anything is committed; this is a second safeguard.
        IO.Throw.IfFailed(disk.SyncDirectory(paths.Directory), "sync", paths.Directory);
    }

    /// <summary>
    /// Syncs the parent directories: a data file under its name means that the names of all directories above it are durable, even if a
    /// process that created some of them was killed before it synced them. A parent that cannot be read cannot be opened for a sync, and
    /// those above it may not support one; neither is a reason to refuse the database.
    /// </summary>
    private static void SyncParents(IDisk disk, DatabasePaths paths)
    {
        string? parent = Path.GetDirectoryName(paths.Directory);
        bool isNearest = true;
        while (parent is not null)
        {
            IoError error = disk.SyncDirectory(parent);
            bool isPassable = error.Kind == IoErrorKind.AccessDenied || (!isNearest && error.Kind is IoErrorKind.NotSupported
                or IoErrorKind.InvalidPath or IoErrorKind.ReadOnlyMedia);
            IO.Throw.IfFailed(isPassable ? IoError.Success : error, "sync", parent);
            parent = Path.GetDirectoryName(parent);
            isNearest = false;
        }
    }

    /// <summary>
    /// Refuses a journal without its data file: chunks are only created once the data file has its name, so the data file was lost.
    /// </summary>
    private static void RefuseLeftoverJournal(IDisk disk, DatabasePaths paths)
    {
        List<string> names = [];
        IO.Throw.IfFailed(disk.ListFiles(paths.Journal, names), "list", paths.Journal);
        if (names.Exists(static name => name.EndsWith(FormatConstants.CommitChunkSuffix, StringComparison.Ordinal)
            || name.EndsWith(FormatConstants.PageChunkSuffix, StringComparison.Ordinal)))
        {
            Throw.JournalWithoutData(paths.Directory);
        }
    }

    private static void Fill(IDisk disk, IDiskFile file, int pageBytes, TransactionId before)
    {
        SpaceLayout layout = new(pageBytes);
        byte[] image = new byte[layout.FirstFreePage.ByteOffset(pageBytes)];
        WriteSlot(disk, image, pageBytes, before);
        WritePage(image, pageBytes, FormatConstants.CatalogRootPage, PageKind.Leaf);
        Span<byte> map = Page(image, pageBytes, FormatConstants.FirstSpaceMapPage);
        for (int bit = 0; bit < layout.FirstFreePage.Value; bit++)
        {
            map[PageHeader.SizeBytes + (bit >> 3)] |= (byte)(1 << (bit & 7));
        }

        WritePage(image, pageBytes, FormatConstants.FirstSpaceMapPage, PageKind.SpaceMap);
        IO.Throw.IfFailed(file.SetLength(0), "truncate", file.Path);
        IO.Throw.IfFailed(file.Allocate(image.Length), "grow", file.Path, image.Length);
        IO.Throw.IfFailed(file.Write(0, image), "write", file.Path, 0);
        IO.Throw.IfFailed(file.SyncData(), "sync", file.Path);
    }

    private static void WriteSlot(IDisk disk, byte[] image, int pageBytes, TransactionId before)
    {
        Span<ulong> id = stackalloc ulong[2];
        disk.FillRandom(MemoryMarshal.AsBytes(id));
        HeaderSlot slot = new()
        {
            Magic = FormatConstants.HeaderMagic,
            FormatVersion = FormatConstants.FormatVersion,
            PageBytes = (uint)pageBytes,
            DatabaseIdLow = id[0],
            DatabaseIdHigh = id[1],
            Generation = 1,
            TransactionId = before,
            NextSetSequence = 1,
            NextSetOffset = FormatConstants.ChunkBodyOffset,
        };
        HeaderSlots.Encode(ref slot).CopyTo(image);
    }

    private static void WritePage(byte[] image, int pageBytes, PageNumber number, PageKind kind)
    {
        Span<byte> page = Page(image, pageBytes, number);
        PageHeader header = new() { PageNumber = number, Kind = kind };
        MemoryMarshal.Write(page, in header);
        PageImage.Seal(page);
    }

    private static Span<byte> Page(byte[] image, int pageBytes, PageNumber number) =>
        image.AsSpan((int)number.ByteOffset(pageBytes), pageBytes);
}

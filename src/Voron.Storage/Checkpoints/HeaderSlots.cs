using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Journal;
using Voron.Storage.Versions;

namespace Voron.Storage.Checkpoints;

/// <summary>Reads, validates and writes the two header slots.</summary>
internal static class HeaderSlots
{
    /// <summary>Offset of the end of the block of the second slot, at the largest page size.</summary>
    internal const long EndOfSlots = FormatConstants.MaxPageBytes + FormatConstants.BlockBytes;

    private const int PagesLookedAt = 64;

    /// <summary>
    /// The valid slots of the file, newest first. A slot that the device cannot read counts as damaged. Throws when there is none: not a
    /// database, another version, or both slots damaged.
    /// </summary>
    internal static List<HeaderSlot> Read(IDisk disk, DatabasePaths paths, IDiskFile file)
    {
        IO.Throw.IfFailed(file.GetLength(out long bytes), "read the length of", file.Path);
        if (bytes == 0)
        {
            RefuseForeign(disk, paths, "it is empty");
        }

        List<HeaderSlot> valid = [];
        uint otherVersion = 0;
        bool magicSeen = false;
        bool isSure = false;
        IoError unreadable = Examine(file, 0, 0, valid, ref magicSeen, ref otherVersion, ref isSure);
        for (int pageBytes = FormatConstants.MinPageBytes; pageBytes <= FormatConstants.MaxPageBytes; pageBytes *= 2)
        {
            IoError error = Examine(file, pageBytes, 1, valid, ref magicSeen, ref otherVersion, ref isSure);
            unreadable = unreadable.Failed ? unreadable : error;
        }

        // A sound slot of another version counts even beside a valid one of this version: it may be the newer state.
        if (valid.Count == 0 || isSure)
        {
            IO.Throw.IfFailed(otherVersion == 0 ? unreadable : IoError.Success, "read the header slots of", file.Path);
            Refuse(disk, paths, file, magicSeen, otherVersion);
        }

        if (valid.Exists(slot => !AreOfOneDatabase(slot, valid[0])))
        {
            Throw.ForeignSlot(file.Path);
        }

        valid.Sort(static (a, b) => b.Generation.CompareTo(a.Generation));
        return valid;
    }

    /// <summary>
    /// Writes the whole block, which contains nothing else: a device relocates a block that it cannot read only when all of it is written.
    /// </summary>
    internal static void Write(DataFile file, HeaderSlot slot)
    {
        slot.Magic = FormatConstants.HeaderMagic;
        slot.FormatVersion = slot.Features == FormatFeatures.None ? FormatConstants.FormatVersion : FormatConstants.FeatureVersion;
        slot.PageBytes = (uint)file.PageBytes;
        Span<byte> block = stackalloc byte[FormatConstants.BlockBytes];
        block.Clear();
        Encode(ref slot).CopyTo(block);
        file.WriteRaw(slot.SlotNumber * (long)file.PageBytes, block);
    }

    /// <summary>Sets the checksum and returns the bytes of the slot.</summary>
    internal static Span<byte> Encode(ref HeaderSlot slot)
    {
        Span<byte> bytes = MemoryMarshal.AsBytes(new Span<HeaderSlot>(ref slot));
        slot.Checksum = Checksum.Compute(bytes[sizeof(ulong)..]);
        return bytes;
    }

    /// <summary>Returns the error of the device if it cannot read there.</summary>
    private static IoError Examine(
        IDiskFile file, long offset, uint number, List<HeaderSlot> valid, ref bool magicSeen, ref uint otherVersion, ref bool isSure)
    {
        Span<byte> bytes = stackalloc byte[HeaderSlot.SizeBytes];
        bytes.Clear();
        IoError error = file.Read(offset, bytes, out _);
        if (error.IsUnreadable)
        {
            return error;
        }

        IO.Throw.IfFailed(error, "read", file.Path, offset);
        HeaderSlot slot = MemoryMarshal.Read<HeaderSlot>(bytes);
        if (slot.Magic != FormatConstants.HeaderMagic)
        {
            return IoError.Success;
        }

        magicSeen = true;
        bool sound = slot.Checksum == Checksum.Compute(bytes[sizeof(ulong)..]);
        if (slot.FormatVersion is not (FormatConstants.FormatVersion or FormatConstants.FeatureVersion))
        {
            otherVersion = slot.FormatVersion;
            isSure |= sound;
            return IoError.Success;
        }

        if (sound && slot.FormatVersion == FormatConstants.FeatureVersion && (slot.Features & ~FormatFeatures.Known) != 0)
        {
            Throw.UnknownFeatures(file.Path, slot.Features & ~FormatFeatures.Known);
        }

        bool placed = slot.SlotNumber == number && (number == 0 || slot.PageBytes == offset);
        if (sound && placed && IsPageSize(slot.PageBytes) && HasPossibleNumbers(slot))
        {
            valid.Add(slot);
        }

        return IoError.Success;
    }

    private static bool HasPossibleNumbers(in HeaderSlot slot) =>
        slot.Checkpoint is >= 0 and < FormatConstants.CountLimit
        && slot.TransactionId.Value is >= 0 and < FormatConstants.CountLimit
        && slot.Generation is > 0 and < FormatConstants.CountLimit
        && slot.CommitSequence >= 0
        && slot.EndSequence >= 0
        && slot.IsAtRest <= 1
        && (slot.Features == FormatFeatures.None || slot.FormatVersion == FormatConstants.FeatureVersion)
        && slot.NextSetSequence is > 0 and < FormatConstants.CountLimit
        && slot.NextSetOffset is >= FormatConstants.ChunkBodyOffset and < FormatConstants.CountLimit
        && slot.NextSetOffset % FormatConstants.BlockBytes == 0;

    private static bool AreOfOneDatabase(in HeaderSlot one, in HeaderSlot other) =>
        one.PageBytes == other.PageBytes && one.DatabaseIdLow == other.DatabaseIdLow && one.DatabaseIdHigh == other.DatabaseIdHigh;

    internal static bool IsPageSize(long bytes) =>
        bytes is >= FormatConstants.MinPageBytes and <= FormatConstants.MaxPageBytes && (bytes & (bytes - 1)) == 0;

    /// <summary>
    /// Guesses the page size without a header slot: the size at which most of the first pages have valid checksums; 0 if none has. A page
    /// that cannot be read is not valid; the error is thrown if no valid page is found either.
    /// </summary>
    internal static int GuessPageBytes(IDiskFile file)
    {
        int best = 0;
        int bestCount = 0;
        IoError failure = default;
        for (int pageBytes = FormatConstants.MinPageBytes; pageBytes <= FormatConstants.MaxPageBytes; pageBytes *= 2)
        {
            int count = CountSound(file, pageBytes, ref failure);
            (best, bestCount) = count > bestCount ? (pageBytes, count) : (best, bestCount);
        }

        if (best == 0)
        {
            IO.Throw.IfFailed(failure, "read the first pages of", file.Path);
        }

        return best;
    }

    private static int CountSound(IDiskFile file, int pageBytes, ref IoError failure)
    {
        byte[] page = new byte[pageBytes];
        int count = 0;
        for (PageNumber number = FormatConstants.CatalogRootPage; number < FormatConstants.CatalogRootPage + PagesLookedAt; number++)
        {
            IoError error = file.Read(number.ByteOffset(pageBytes), page, out int read);
            failure = error.Failed ? error : failure;
            bool isRead = !error.Failed && read == pageBytes;
            PageHeader header = MemoryMarshal.Read<PageHeader>(page);
            bool isSound = isRead && header.PageNumber == number && header.Checksum == Checksum.Compute(page.AsSpan(sizeof(ulong)));
            count += isSound ? 1 : 0;
        }

        return count;
    }

    /// <summary>
    /// Refuses a data file without any structure of this engine. A journal beside it shows that it was not a foreign file, and advice to
    /// remove it would cost the database.
    /// </summary>
    internal static void RefuseForeign(IDisk disk, DatabasePaths paths, string why)
    {
        if (JournalFiles.GuessDatabaseId(disk, paths.Journal) != default)
        {
            Throw.DataFileLost(paths.DataFile, why);
        }

        Throw.NotADatabase(paths.DataFile, why);
    }

    private static void Refuse(IDisk disk, DatabasePaths paths, IDiskFile file, bool magicSeen, uint otherVersion)
    {
        if (otherVersion != 0)
        {
            Throw.Version(file.Path, otherVersion);
        }

        if (magicSeen || GuessPageBytes(file) > 0)
        {
            Throw.NoValidSlot(file.Path);
        }

        RefuseForeign(disk, paths, "it does not start with this engine's header, and none of its first pages is one of this engine's");
    }
}

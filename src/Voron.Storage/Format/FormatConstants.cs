namespace Voron.Storage.Format;

/// <summary>
/// Magic numbers, fixed page numbers and sizes of the file format. <c>docs/format.md</c> is the contract.
/// </summary>
internal static class FormatConstants
{
    /// <summary>Version of journal chunks and image sets, and of a database without features.</summary>
    internal const uint FormatVersion = 1;

    /// <summary>Version of a header slot that has features.</summary>
    internal const uint FeatureVersion = 2;

    /// <summary>"VORONDAT" read as a little-endian number.</summary>
    internal const ulong HeaderMagic = 0x5441_444E_4F52_4F56;

    /// <summary>"VORONCHK".</summary>
    internal const ulong ChunkMagic = 0x4B48_434E_4F52_4F56;

    /// <summary>"VREC".</summary>
    internal const uint RecordMagic = 0x4345_5256;

    /// <summary>"VBAT".</summary>
    internal const uint ImageSetMagic = 0x5441_4256;

    /// <summary>First byte of every redo body.</summary>
    internal const byte RedoVersion = 1;

    internal const int MinPageBytes = 4096;
    internal const int MaxPageBytes = 65536;
    internal const int DefaultPageBytes = 8192;

    /// <summary>Every journal write starts and ends on a multiple of this.</summary>
    internal const int BlockBytes = 4096;

    internal const int SectorBytes = 512;

    /// <summary>Records that share a write start on multiples of this.</summary>
    internal const int RecordAlignmentBytes = 8;

    /// <summary>First byte after the chunk header.</summary>
    internal const int ChunkBodyOffset = BlockBytes;

    internal const long MinChunkBytes = 64 << 10;
    internal const long MaxChunkBytes = 64 << 20;

    /// <summary>Nothing that is counted up gets as far: a larger number in a file is not followed, so sums do not overflow.</summary>
    internal const long CountLimit = long.MaxValue >> 1;

    internal static PageNumber CatalogRootPage => new(2);

    /// <summary>Number of the first space-map page; <see cref="SpaceLayout"/> computes the others.</summary>
    internal static PageNumber FirstSpaceMapPage => new(3);

    internal const int MaxNameBytes = 255;

    /// <summary>
    /// Longest value that is written in one call: a multiple of every page size that leaves room for a key, headers and rounding below the
    /// longest array and 2 GiB. What is read may be longer.
    /// </summary>
    internal const int MaxValueBytes = 0x7F80_0000;

    internal const string DataFileName = "data.voron";
    internal const string NewDataFileName = "data.voron.new";
    internal const string LockFileName = "voron.lock";
    internal const string SpillFileName = "voron.spill";
    internal const string FollowerFileName = "voron.follower";
    internal const string JournalDirectoryName = "journal";
    internal const string CommitChunkSuffix = ".commit";
    internal const string PageChunkSuffix = ".pages";
    internal const string SpareChunkPrefix = "spare-";
    internal const string SpareChunkSuffix = ".chunk";
}

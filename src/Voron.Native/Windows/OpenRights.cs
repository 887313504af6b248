namespace Voron.Native.Windows;

/// <summary>Access, sharing, dispositions and flags of CreateFileW.</summary>
internal static class OpenRights
{
    internal const uint Read = 0x8000_0000;
    internal const uint Write = 0x4000_0000;
    internal const uint Delete = 0x0001_0000;
    internal const uint ReadAttributes = 0x80;

    /// <summary>
    /// Others may read, write, rename and delete, as on every other system: what keeps a second environment out is the lock, and the
    /// engine has some files open twice itself.
    /// </summary>
    internal const uint ShareAll = 1 | 2 | 4;

    /// <summary>What is open so keeps its name.</summary>
    internal const uint ShareReadAndWrite = 1 | 2;

    internal const uint OpenExisting = 3;
    internal const uint OpenAlways = 4;

    internal const uint Normal = 0x80;
    internal const uint WriteThrough = 0x8000_0000;
    internal const uint NoBuffering = 0x2000_0000;

    /// <summary>Needed for a handle of a directory.</summary>
    internal const uint BackupSemantics = 0x0200_0000;

    /// <summary>The link itself, not what it leads to.</summary>
    internal const uint OpenReparsePoint = 0x0020_0000;

    /// <summary>Deleted when the last handle is closed.</summary>
    internal const uint DeleteOnClose = 0x0400_0000;

    /// <summary>Attribute of directories.</summary>
    internal const uint DirectoryAttribute = 0x10;

    /// <summary>What GetFileAttributesW gives when it fails.</summary>
    internal const uint NoAttributes = 0xFFFF_FFFF;
}

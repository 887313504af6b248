namespace Voron.Simulation.Blocks;

/// <summary>
/// A file system that is tried: how it is made and mounted, and how many bytes of a write a power cut keeps or loses as a whole. xfs does
/// not survive a directory block of its own that is torn at 512 bytes, as its recovery goes by the number at the block's begin; so there a
/// sector is a block.
/// </summary>
internal sealed record BlockFileSystem(
    string Name, long ImageBytes, int SectorBytes, string Maker, string[] MakeOptions, string MountOptions)
{
    private const long SmallBytes = 64 << 20;

    /// <summary>xfs is never made smaller; most of it is a hole.</summary>
    private const long SmallestXfsBytes = 300 << 20;

    internal static IReadOnlyList<BlockFileSystem> All { get; } =
    [
        new("ext4", SmallBytes, 512, "/usr/sbin/mkfs.ext4", ["-q", "-F"], "loop"),
        new("ext4-fast-commit", SmallBytes, 512, "/usr/sbin/mkfs.ext4", ["-q", "-F", "-O", "fast_commit"], "loop") { MayRefuse = true },
        new("ext4-data-journal", SmallBytes, 512, "/usr/sbin/mkfs.ext4", ["-q", "-F"], "loop,data=journal"),
        new("ext4-data-writeback", SmallBytes, 512, "/usr/sbin/mkfs.ext4", ["-q", "-F"], "loop,data=writeback"),
        new("xfs", SmallestXfsBytes, 4096, "/usr/sbin/mkfs.xfs", ["-q", "-f"], "loop,nouuid"),
    ];

    /// <summary>
    /// Now and then its own recovery fails ("JBD2: journal recovery failed") and it cannot be mounted after a cut. That says nothing of the
    /// engine; such cuts are counted apart, and few they must be.
    /// </summary>
    internal bool MayRefuse { get; init; }

    /// <summary>For small images that run full: nothing is kept for root.</summary>
    internal static BlockFileSystem Full { get; } = All[0] with { MakeOptions = [.. All[0].MakeOptions, "-m", "0"] };

    internal static BlockFileSystem Named(string name) => All.Single(each => each.Name == name);

    /// <summary>An empty one in a new file.</summary>
    internal void Make(string image, long? bytes = null)
    {
        using (FileStream file = new(image, FileMode.CreateNew))
        {
            file.SetLength(bytes ?? ImageBytes);
        }

        BlockTools.Run(Maker, [.. MakeOptions, image]);
    }

    /// <summary>Mounts an image, or a device's file, at a directory; what it holds is replayed by the file system itself.</summary>
    internal BlockMount Mount(string image, string directory) => new(image, directory, MountOptions);
}

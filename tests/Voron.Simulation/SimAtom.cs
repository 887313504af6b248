namespace Voron.Simulation;

/// <summary>
/// The smallest thing that a power cut keeps or loses as a whole. Kept ones take effect in the order in which they were issued.
/// </summary>
internal sealed class SimAtom
{
    internal required SimAtomKind Kind { get; init; }

    /// <summary>Number of the disk call that issued it.</summary>
    internal required long CallNumber { get; init; }

    /// <summary>The file it is about; 0 for a directory.</summary>
    internal long Inode { get; init; }

    /// <summary>Sector of a data atom, length in bytes of a length atom.</summary>
    internal long Position { get; init; }

    /// <summary>The bytes of a data atom.</summary>
    internal byte[] Sector { get; init; } = [];

    internal Hash128 SectorHash { get; init; }

    /// <summary>The name, for a rename the old one.</summary>
    internal string Path { get; init; } = string.Empty;

    internal string NewPath { get; init; } = string.Empty;

    /// <summary>Directories whose sync it still waits for.</summary>
    internal string? Directory { get; init; }

    internal string? OtherDirectory { get; init; }

    internal bool IsOfNames => Kind >= SimAtomKind.Create;

    public override string ToString() => Kind switch
    {
        SimAtomKind.Rename => $"call {CallNumber}: Rename {Path} -> {NewPath}",
        SimAtomKind.Data => $"call {CallNumber}: Data of {Path}, file {Inode}, sector {Position}",
        _ => $"call {CallNumber}: {Kind} {Path}, file {Inode}, {Position}",
    };
}

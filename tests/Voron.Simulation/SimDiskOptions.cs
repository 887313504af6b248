namespace Voron.Simulation;

/// <summary>What a simulated disk promises. The default is the strict minimum that POSIX gives.</summary>
internal sealed record SimDiskOptions
{
    internal SimProfile Profile { get; init; } = SimProfile.Strict;

    /// <summary>Room behind every mapped file; a file that outgrows it fails the test.</summary>
    internal int MapBytes { get; init; } = 64 << 20;

    /// <summary>Open files never are unbuffered, as on file systems that refuse it.</summary>
    internal bool RefusesUnbuffered { get; init; }
}

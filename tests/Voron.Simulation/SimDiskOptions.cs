namespace Voron.Simulation;

/// <summary>What a simulated disk promises. The defaults are the strict minimum that POSIX gives.</summary>
internal sealed record SimDiskOptions
{
    /// <summary>Room behind every mapped file; a file that outgrows it fails the test.</summary>
    internal int MapBytes { get; init; } = 64 << 20;

    /// <summary>Write-through handles behave like ordinary ones: a device that drops the demand silently.</summary>
    internal bool IgnoresWriteThrough { get; init; }

    /// <summary>Syncs succeed and do nothing: a device that lies.</summary>
    internal bool IgnoresSync { get; init; }

    /// <summary>Open files never are unbuffered, as on file systems that refuse it.</summary>
    internal bool RefusesUnbuffered { get; init; }
}

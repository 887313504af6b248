namespace Voron.Simulation.Crashes;

/// <summary>One state that is to be opened, and what is known of it beforehand.</summary>
internal sealed record CrashTrial
{
    /// <summary>The disk as the crash left it; the trial owns it.</summary>
    internal required SimDisk Disk { get; init; }

    /// <summary>Makes the same disk again.</summary>
    internal required Func<SimDisk> Twin { get; init; }

    /// <summary>Of its image; whatever is done to only some of the states follows from it.</summary>
    internal required Hash128 Hash { get; init; }

    internal required CrashBounds Bounds { get; init; }

    /// <summary>How it came about, for the message of a failure.</summary>
    internal required Func<string> Where { get; init; }

    /// <summary>How many recoveries were cut on the way to it.</summary>
    internal int Depth { get; init; }

    /// <summary>The process died and the machine went on: no state of a power cut.</summary>
    internal bool IsKill { get; init; }

    internal bool HasLostSector { get; init; }
}

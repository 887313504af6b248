namespace Voron.Cli;

/// <summary>What the process says at its end; scripts depend on these numbers, and docs/cli.md lists them.</summary>
internal enum ExitCode
{
    /// <summary>Done, and nothing is wrong.</summary>
    Good = 0,

    /// <summary>The database or the dump is damaged, or something of it could not be copied.</summary>
    Damaged = 1,

    /// <summary>The command line is not understood.</summary>
    Usage = 2,

    /// <summary>No such database, tree, key or page.</summary>
    NotFound = 3,

    /// <summary>Another process has the database open for writing.</summary>
    Locked = 4,

    /// <summary>Not a database of this engine, or one of another format version.</summary>
    Foreign = 5,

    /// <summary>The operating system refused: permissions, devices, a full disk, memory.</summary>
    Refused = 6,

    /// <summary>Stopped by the user.</summary>
    Cancelled = 130,
}

namespace Voron.Simulation.Crashes;

/// <summary>A storage engine as the crash tests see it.</summary>
internal interface ICrashSubject
{
    /// <summary>
    /// Opens the database of this disk, recovers it, and creates it when there is none. Everything the session does happens on the calling
    /// thread, in an order that
    /// follows from the calls alone. When it throws, all files must be closed again.
    /// </summary>
    ICrashSession Open(SimDisk disk);

    /// <summary>
    /// Says which of the files should not be there that were left by the clean close of a session that had committed something; null when
    /// all is well.
    /// </summary>
    string? FindLitter(IReadOnlyList<string> paths);
}

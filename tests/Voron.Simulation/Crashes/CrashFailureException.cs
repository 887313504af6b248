namespace Voron.Simulation.Crashes;

/// <summary>A promise that was broken, with all that is needed to see it again.</summary>
internal sealed class CrashFailureException : Exception
{
    public CrashFailureException()
    {
    }

    public CrashFailureException(string message)
        : base(message)
    {
    }

    public CrashFailureException(string message, Exception? inner)
        : base(message, inner)
    {
    }

    /// <summary>Number of the broken oracle.</summary>
    internal string Oracle { get; init; } = string.Empty;

    /// <summary>Seed of the run that broke it; 0 where it is not known.</summary>
    internal ulong Seed { get; init; }
}

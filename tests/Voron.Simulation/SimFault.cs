using Voron.Storage;

namespace Voron.Simulation;

/// <summary>A failure to be injected: which calls, from which on, how often, what they report and what they do.</summary>
internal sealed class SimFault
{
    internal SimCallKind Calls { get; init; } = SimCallKind.Any;

    /// <summary>A path with at most one star, which stands for any text.</summary>
    internal string Path { get; init; } = "*";

    /// <summary>The first matching call that fails, counted from 1.</summary>
    internal int From { get; init; } = 1;

    /// <summary>How many matching calls fail; <see cref="int.MaxValue"/> for all from then on.</summary>
    internal int Times { get; init; } = 1;

    /// <summary>What they report; <see cref="IoErrorKind.None"/> is a lie.</summary>
    internal IoErrorKind Error { get; init; } = IoErrorKind.Device;

    internal SimFaultEffect Effect { get; init; }

    /// <summary>What goes on elsewhere while a delayed call waits.</summary>
    internal Action? Pause { get; init; }

    /// <summary>Matching calls so far; a test reads it to learn whether the fault was met.</summary>
    internal int Matches { get; private set; }

    internal bool WasMet => Matches >= From;

    internal IoError Result => Error == IoErrorKind.None || Effect == SimFaultEffect.LateArrival ? IoError.Success : new IoError(Error, 5);

    internal bool Meets(SimCallKind kind, string path)
    {
        if ((Calls & kind) == 0 || !PathMatches(path))
        {
            return false;
        }

        Matches++;
        if (Effect == SimFaultEffect.LateArrival && kind != SimCallKind.Write)
        {
            return false;
        }

        return Matches >= From && Matches - From < Times;
    }

    private bool PathMatches(string path)
    {
        int star = Path.IndexOf('*', StringComparison.Ordinal);
        if (star < 0)
        {
            return string.Equals(Path, path, StringComparison.Ordinal);
        }

        return path.Length >= Path.Length - 1
            && path.AsSpan().StartsWith(Path.AsSpan(0, star), StringComparison.Ordinal)
            && path.AsSpan().EndsWith(Path.AsSpan(star + 1), StringComparison.Ordinal);
    }
}

using Voron.Native.Unix;

namespace Voron.Native.Mac;

/// <summary>
/// Error codes of macOS and what <see cref="Errno"/> calls them. The codes to 34 are those of every Unix but for one; above, the same
/// number means something else, so a code without a name there is moved out of the way.
/// </summary>
internal static class MacErrno
{
    private const int LastShared = 34;
    private const int Deadlock = 11;
    private const int NotSupported = 45;
    private const int Unnamed = 1000;

    private static readonly (int System, int Named)[] Others =
    [
        (35, Errno.AGAIN), (NotSupported, Errno.OPNOTSUPP), (102, Errno.OPNOTSUPP), (60, Errno.TIMEDOUT), (62, Errno.LOOP),
        (63, Errno.NAMETOOLONG), (66, Errno.NOTEMPTY), (69, Errno.DQUOT), (77, Errno.NOLCK), (78, Errno.NOSYS),
    ];

    /// <summary>The name's number of a code of macOS.</summary>
    internal static int ToNamed(int system)
    {
        foreach ((int other, int named) in Others)
        {
            if (other == system)
            {
                return named;
            }
        }

        return system == Deadlock || system > LastShared ? Unnamed + system : system;
    }

    /// <summary>The code of macOS for a number that <see cref="ToNamed"/> gave.</summary>
    internal static int ToSystem(int named)
    {
        foreach ((int system, int other) in Others)
        {
            if (other == named)
            {
                return system;
            }
        }

        return named > Unnamed ? named - Unnamed : named;
    }
}

using System.Diagnostics;

namespace Voron.CrashWriter;

/// <summary>How to start this program from a test.</summary>
public static class CrashProgram
{
    /// <summary>The environment variable that names a rule to break, in a build that can.</summary>
    public const string BrokenRule = "VORON_BROKEN";

    /// <summary>
    /// With all of its streams redirected. Published with its runtime it is a program of its own; otherwise dotnet runs it.
    /// </summary>
    public static ProcessStartInfo Start(params ReadOnlySpan<string> arguments)
    {
        string library = typeof(CrashProgram).Assembly.Location;
        string program = Path.ChangeExtension(library, ".exe");
        bool isAlone = OperatingSystem.IsWindows() && File.Exists(program);
        ProcessStartInfo start = new(isAlone ? program : "dotnet", isAlone ? arguments.ToArray() : [library, .. arguments])
        {
            RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true,
        };
        return start;
    }
}

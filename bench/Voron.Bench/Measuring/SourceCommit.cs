using System.ComponentModel;
using System.Diagnostics;

namespace Voron.Bench.Measuring;

/// <summary>The commit of the working copy that a program is started in; a plus says that its sources differ from it.</summary>
internal static class SourceCommit
{
    internal static string Read()
    {
        string? commit = Git("rev-parse", "--short", "HEAD");
        bool isChanged = Git("status", "--porcelain", "--untracked-files=no", "--", "*.cs", "*.c", "*.csproj") is { Length: > 0 };
        return commit is null ? "unknown" : $"{commit}{(isChanged ? "+" : string.Empty)}";
    }

    private static string? Git(params string[] arguments)
    {
        try
        {
            ProcessStartInfo start = new("git", arguments) { RedirectStandardOutput = true, RedirectStandardError = true };
            using Process process = Process.Start(start)!;
            string said = process.StandardOutput.ReadToEnd().Trim();
            process.WaitForExit();
            return process.ExitCode == 0 ? said : null;
        }
        catch (Win32Exception)
        {
            return null;
        }
    }
}

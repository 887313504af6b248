using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;

namespace Voron.Bench;

/// <summary>Where the figures come from, in one line.</summary>
internal static class Machine
{
    internal static string Description =>
        $"{RuntimeInformation.OSDescription}, {RuntimeInformation.ProcessArchitecture}, {Environment.ProcessorCount} processors, "
        + RuntimeInformation.FrameworkDescription;

    /// <summary>Memory of the process that no file stands behind, in bytes; outside Linux, memory that it shares with no other.</summary>
    internal static long AnonymousBytes
    {
        get
        {
            if (OperatingSystem.IsLinux())
            {
                return ReadNumber("/proc/self/status", "RssAnon:") << 10;
            }

            using Process self = Process.GetCurrentProcess();
            return self.PrivateMemorySize64;
        }
    }

    /// <summary>The number behind a name in one of the system's files.</summary>
    internal static long ReadNumber(string path, string name)
    {
        string? line = File.ReadLines(path).FirstOrDefault(line => line.StartsWith(name, StringComparison.Ordinal));
        string digits = string.Concat((line ?? string.Empty).Where(char.IsAsciiDigit));
        return digits.Length > 0 ? long.Parse(digits, CultureInfo.InvariantCulture) : 0;
    }
}

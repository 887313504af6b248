using System.Diagnostics;
using System.Globalization;

namespace Voron.Bench;

/// <summary>What a folder takes on the disk: blocks, not lengths, since some stores make files of mostly holes.</summary>
internal static class DiskUse
{
    internal static double? Of(string folder)
    {
        if (!OperatingSystem.IsLinux())
        {
            return null;
        }

        ProcessStartInfo start = new("du") { RedirectStandardOutput = true, ArgumentList = { "-s", "--block-size=1", folder } };
        using Process process = Process.Start(start)!;
        string line = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return double.TryParse(line.Split('\t')[0], NumberStyles.None, CultureInfo.InvariantCulture, out double bytes) ? bytes : null;
    }
}

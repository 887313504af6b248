using System.Runtime.InteropServices;

namespace Voron.Bench;

/// <summary>Where the figures come from, in one line.</summary>
internal static class Machine
{
    internal static string Description =>
        $"{RuntimeInformation.OSDescription}, {RuntimeInformation.ProcessArchitecture}, {Environment.ProcessorCount} processors, "
        + RuntimeInformation.FrameworkDescription;
}

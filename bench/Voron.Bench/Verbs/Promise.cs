using System.Globalization;
using Spectre.Console;

namespace Voron.Bench.Verbs;

/// <summary>Prints what a figure must reach, and whether it does.</summary>
internal static class Promise
{
    internal static void Print(string what, double? figure, double bound, bool isCeiling)
    {
        string verdict = figure is not { } reached ? "not measured"
            : (isCeiling ? reached <= bound : reached >= bound) ? "pass" : "FAIL";
        AnsiConsole.WriteLine(string.Create(
            CultureInfo.InvariantCulture, $"{what}: {figure:0.###} ({(isCeiling ? '≤' : '≥')} {bound:0.###}) {verdict}"));
    }
}

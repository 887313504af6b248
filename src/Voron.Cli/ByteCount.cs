using System.Globalization;

namespace Voron.Cli;

/// <summary>Numbers for people, of bytes and of other things.</summary>
internal static class ByteCount
{
    private static readonly string[] Units = ["bytes", "KiB", "MiB", "GiB", "TiB"];

    internal static string Text(long bytes)
    {
        double amount = bytes;
        int unit = 0;
        while (amount >= 1024 && unit < Units.Length - 1)
        {
            amount /= 1024;
            unit++;
        }

        return unit == 0
            ? $"{Plain(bytes)} bytes" : string.Create(CultureInfo.InvariantCulture, $"{amount:0.0} {Units[unit]}");
    }

    /// <summary>A number with its noun.</summary>
    internal static string Count(long number, string one, string? many = null) =>
        $"{Plain(number)} {(number == 1 ? one : many ?? one + "s")}";

    internal static string Plain(long number) => number.ToString("N0", CultureInfo.InvariantCulture);
}

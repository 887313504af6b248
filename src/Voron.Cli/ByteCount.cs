using System.Globalization;

namespace Voron.Cli;

/// <summary>Numbers of bytes for people.</summary>
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

    internal static string Plain(long number) => number.ToString("N0", CultureInfo.InvariantCulture);
}

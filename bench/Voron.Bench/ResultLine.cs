using System.Globalization;

namespace Voron.Bench;

/// <summary>The result line of 2013: name in 35 columns, milliseconds and operations a second in 10 each.</summary>
internal static class ResultLine
{
    internal static string Of(Row row) =>
        string.Create(CultureInfo.InvariantCulture, $"{row.Name,-35}: {row.Seconds * 1e3,10:N0} ms {row.ItemsPerSecond,10:N0} ops / sec");
}

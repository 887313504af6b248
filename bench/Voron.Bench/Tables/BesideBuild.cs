using System.Diagnostics;

namespace Voron.Bench.Tables;

/// <summary>An index build beside one writer that commits as fast as it can: both rates, and how long the build took.</summary>
/// <param name="Seconds">Of the build.</param>
/// <param name="Alone">Commits a second of the writer before the build.</param>
/// <param name="Beside">Commits a second of the writer during the build.</param>
internal sealed record BesideBuild(double Seconds, double Alone, double Beside)
{
    /// <summary>Builds the index of a loaded table.</summary>
    internal static BesideBuild Run(OurTableStore store, RowData data, int rows, double secondsAlone)
    {
        RandomBytes random = new(1);
        long start = Stopwatch.GetTimestamp();
        int alone = 0;
        double aloneSeconds;
        do
        {
            store.Put(data.Row(random.Below(rows)));
            alone++;
            aloneSeconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        }
        while (aloneSeconds < secondsAlone);

        long began = Stopwatch.GetTimestamp();
        double buildSeconds = 0;
        Thread builder = new(() =>
        {
            store.BuildIndex();
            buildSeconds = Stopwatch.GetElapsedTime(began).TotalSeconds;
        });
        builder.Start();
        int beside = 0;
        while (builder.IsAlive)
        {
            store.Put(data.Row(random.Below(rows)));
            beside++;
        }

        double besideSeconds = Stopwatch.GetElapsedTime(began).TotalSeconds;
        builder.Join();
        return new BesideBuild(buildSeconds, alone / aloneSeconds, beside / besideSeconds);
    }
}

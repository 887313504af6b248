using System.Diagnostics;

namespace Voron.Bench.Measuring;

/// <summary>
/// Runs what is to be measured afterwards, again and again for some seconds: code still gets faster after a million calls, and the C
/// libraries beside it are compiled already.
/// </summary>
internal static class WarmUp
{
    private const int Seconds = 3;

    internal static void Run(Arguments arguments, Action work)
    {
        long start = Stopwatch.GetTimestamp();
        do
        {
            work();
        }
        while (Stopwatch.GetElapsedTime(start).TotalSeconds < Seconds * Math.Min(1, arguments.Scale));
    }
}

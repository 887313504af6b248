using System.Diagnostics;

namespace Voron.Bench.Load;

/// <summary>
/// Load at a fixed rate: each operation has a time at which it ought to begin, whether or not the one before is done. Its latency counts
/// from there, so an operation that had to wait for a slow one before it shows that wait. A loop that times only the call itself leaves
/// exactly those out (coordinated omission); both are noted.
/// </summary>
/// <param name="now">Time in ticks of <see cref="Stopwatch"/>.</param>
/// <param name="waitUntil">Returns when that time has come.</param>
internal sealed class OpenLoop(Func<long> now, Action<long> waitUntil)
{
    /// <summary>Runs in real time. The last part of a wait turns on the spot, or the system's timer would add its own delay.</summary>
    internal static OpenLoop Real { get; } = new(Stopwatch.GetTimestamp, WaitUntil);

    /// <summary>Runs operations at a rate.</summary>
    /// <param name="perSecond">How many a second.</param>
    /// <param name="count">How many.</param>
    /// <param name="operation">One operation, with its number.</param>
    internal OpenLoopResult Run(double perSecond, int count, Action<int> operation)
    {
        Latencies fromSchedule = new(count);
        Latencies callOnly = new(count);
        long start = now();
        double step = Stopwatch.Frequency / perSecond;
        for (int number = 0; number < count; number++)
        {
            long due = start + (long)(number * step);
            waitUntil(due);
            long begun = now();
            operation(number);
            long done = now();
            fromSchedule.Add(due, done);
            callOnly.Add(begun, done);
        }

        return new OpenLoopResult(fromSchedule, callOnly, (now() - start) / (double)Stopwatch.Frequency);
    }

    private static void WaitUntil(long due)
    {
        const double SpinSeconds = 0.0002;
        while (true)
        {
            double left = (due - Stopwatch.GetTimestamp()) / (double)Stopwatch.Frequency;
            if (left <= 0)
            {
                return;
            }

            if (left > SpinSeconds * 6)
            {
                Thread.Sleep(TimeSpan.FromSeconds(left - (SpinSeconds * 5)));
            }
            else
            {
                Thread.SpinWait(20);
            }
        }
    }
}

namespace Voron.Bench.Load;

/// <summary>What a load met.</summary>
/// <param name="FromSchedule">From when each operation ought to have begun.</param>
/// <param name="CallOnly">The calls alone, as a closed loop sees them.</param>
/// <param name="Seconds">From the first to the last.</param>
internal sealed record OpenLoopResult(Latencies FromSchedule, Latencies CallOnly, double Seconds);

namespace Voron.Bench.Multi;

/// <summary>Durable transactions one after the other.</summary>
/// <param name="Count">How many.</param>
/// <param name="Seconds">Of all.</param>
/// <param name="ManagedBytes">
/// Allocated by the calling thread in a transaction; the median, since tables of the whole database grow now and then.
/// </param>
internal readonly record struct MultiTransactions(int Count, double Seconds, double ManagedBytes)
{
    internal double PerSecond => Count / Seconds;
}

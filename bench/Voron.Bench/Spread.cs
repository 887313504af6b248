namespace Voron.Bench;

/// <summary>Median, smallest and largest of a figure over the rounds.</summary>
internal readonly record struct Spread(double Median, double Min, double Max)
{
    internal static Spread Of(IEnumerable<double> figures)
    {
        double[] sorted = [.. figures.Order()];
        int middle = sorted.Length / 2;
        double median = sorted.Length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[^1]);
    }
}

using System.Globalization;

namespace Voron.Simulation.Fuzz;

/// <summary>Counts of trials; sums of sums are sums.</summary>
internal sealed class FuzzTally
{
    internal long Sets { get; set; }

    /// <summary>Opens that were refused, and opens that were not; every second set is opened twice.</summary>
    internal long Refused { get; set; }

    internal long Opened { get; set; }

    /// <summary>Opens in which reads were refused.</summary>
    internal long ReadsRefused { get; set; }

    /// <summary>Checks that found something.</summary>
    internal long Unclean { get; set; }

    /// <summary>Sets that were written to and closed.</summary>
    internal long Written { get; set; }

    internal long Salvaged { get; set; }

    /// <summary>Salvages that say that nothing was lost.</summary>
    internal long Complete { get; set; }

    internal long Rarest => new[] { Refused, Opened, ReadsRefused, Unclean, Written, Salvaged, Complete }.Min();

    internal static FuzzTally Parse(string line)
    {
        long[] n = [.. line.Split(' ').Select(static word => long.Parse(word, CultureInfo.InvariantCulture))];
        return new FuzzTally
        {
            Sets = n[0], Refused = n[1], Opened = n[2], ReadsRefused = n[3], Unclean = n[4], Written = n[5], Salvaged = n[6],
            Complete = n[7],
        };
    }

    internal void Add(FuzzTally other)
    {
        Sets += other.Sets;
        Refused += other.Refused;
        Opened += other.Opened;
        ReadsRefused += other.ReadsRefused;
        Unclean += other.Unclean;
        Written += other.Written;
        Salvaged += other.Salvaged;
        Complete += other.Complete;
    }

    internal string ToLine() => string.Create(
        CultureInfo.InvariantCulture, $"{Sets} {Refused} {Opened} {ReadsRefused} {Unclean} {Written} {Salvaged} {Complete}");

    public override string ToString() =>
        $"{Sets} file sets, {Refused} opens refused, {Opened} opened, {ReadsRefused} of them with reads refused, {Unclean} checks unclean, "
        + $"{Written} written to, {Salvaged} salvaged, {Complete} of them without a known loss";
}

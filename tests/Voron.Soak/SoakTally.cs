using System.Globalization;

namespace Voron.Soak;

/// <summary>What a soak has tried so far.</summary>
internal sealed class SoakTally
{
    private long _operations;

    /// <summary>The line above the ledger's lines.</summary>
    internal const string Head = "commit\tfirst seed\tlast seed\tstates\tschedules\tkills\tfile sets\tcuts\tfindings\toperations"
        + "\tstress snapshots\tstress reads";

    /// <summary>Distinct crash states, counted by what their recovery read.</summary>
    internal long States { get; set; }

    internal long Schedules { get; set; }

    internal long Kills { get; set; }

    /// <summary>Damaged and forged ones.</summary>
    internal long FileSets { get; set; }

    /// <summary>Power cuts below real file systems.</summary>
    internal long Cuts { get; set; }

    internal int Findings { get; set; }

    /// <summary>Snapshots that threads began beside writers and checkpoints.</summary>
    internal long StressSnapshots { get; set; }

    /// <summary>Values read in them and compared.</summary>
    internal long StressReads { get; set; }

    /// <summary>Of trees, against a sorted dictionary.</summary>
    internal long Operations => Interlocked.Read(ref _operations);

    /// <summary>What there is so far, in words.</summary>
    internal string Counts => string.Create(
        CultureInfo.InvariantCulture,
        $"{States} states, {Schedules} schedules, {Kills} kills, {FileSets} file sets, {Cuts} cuts, {Operations} operations, "
            + $"{StressSnapshots} stress snapshots, {StressReads} stress reads");

    /// <summary>By any thread.</summary>
    internal void AddOperations(long count) => Interlocked.Add(ref _operations, count);

    internal string LineOf(string commit, ulong firstSeed, ulong lastSeed) => string.Join(
        '\t',
        commit,
        firstSeed.ToString(CultureInfo.InvariantCulture),
        lastSeed.ToString(CultureInfo.InvariantCulture),
        States.ToString(CultureInfo.InvariantCulture),
        Schedules.ToString(CultureInfo.InvariantCulture),
        Kills.ToString(CultureInfo.InvariantCulture),
        FileSets.ToString(CultureInfo.InvariantCulture),
        Cuts.ToString(CultureInfo.InvariantCulture),
        Findings.ToString(CultureInfo.InvariantCulture),
        Operations.ToString(CultureInfo.InvariantCulture),
        StressSnapshots.ToString(CultureInfo.InvariantCulture),
        StressReads.ToString(CultureInfo.InvariantCulture));
}

namespace Voron.Simulation.Crashes;

/// <summary>What was tried. Only distinct states count as tried; of the others the bounds are checked.</summary>
internal sealed class CrashStatistics
{
    internal long Workloads { get; set; }

    internal long Points { get; set; }

    internal long States { get; set; }

    /// <summary>States whose images differ.</summary>
    internal long Distinct { get; set; }

    /// <summary>States that differ in what their recovery read.</summary>
    internal long DistinctRead { get; set; }

    internal long LostAnAtom { get; set; }

    /// <summary>States whose recovery ended before the last transaction started.</summary>
    internal long RecoveredEarlier { get; set; }

    internal long Kills { get; set; }

    internal long RecoveryCuts { get; set; }

    /// <summary>States opened a second time with a header slot damaged.</summary>
    internal long Damaged { get; set; }

    internal long WentOn { get; set; }

    /// <summary>All opens, second and nested ones included.</summary>
    internal long Opens { get; set; }

    internal long DiskCalls { get; set; }

    public override string ToString() =>
        $"workloads {Workloads}, disk calls {DiskCalls}, crash points {Points}, states {States}, distinct {Distinct}, "
        + $"distinct as read {DistinctRead}, lost an atom {LostAnAtom}, recovered earlier {RecoveredEarlier}, kills {Kills}, "
        + $"cuts in recovery {RecoveryCuts}, damaged {Damaged}, went on {WentOn}, opens {Opens}";
}

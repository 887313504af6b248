namespace Voron.Simulation.Crashes;

/// <summary>
/// What was tried. A power-cut state counts once for all those of its workload whose surviving sectors, as far as recovery and the check
/// after it look at them, are the same.
/// </summary>
internal sealed class CrashStatistics
{
    internal long Workloads { get; set; }

    internal long Points { get; set; }

    /// <summary>States that the enumeration offered, equal ones included.</summary>
    internal long Offered { get; set; }

    /// <summary>States not like an earlier one, but equal to one in all that recovery looks at.</summary>
    internal long Equal { get; set; }

    /// <summary>Power-cut states that were opened; their images differ.</summary>
    internal long Tried { get; set; }

    /// <summary>Of those tried the ones that count.</summary>
    internal long Counted { get; set; }

    /// <summary>Of those counted the ones that were left by a cut inside a recovery.</summary>
    internal long Nested { get; set; }

    /// <summary>Of those nested the ones that were left by a cut inside the recovery after a cut inside a recovery.</summary>
    internal long NestedTwice { get; set; }

    /// <summary>Of those counted the ones for which at least one written sector did not survive.</summary>
    internal long LostSector { get; set; }

    /// <summary>Of those counted the ones whose recovery ended before the last transaction started.</summary>
    internal long RecoveredEarlier { get; set; }

    internal long Kills { get; set; }

    /// <summary>States that were damaged on purpose, or by a device that lies.</summary>
    internal long Damaged { get; set; }

    /// <summary>States of a lying device that opened and showed wrong content with nothing that told it.</summary>
    internal long Deceived { get; set; }

    internal long WentOn { get; set; }

    /// <summary>All opens of a database, also those that only hold an oracle.</summary>
    internal long Opens { get; set; }

    internal long DiskCalls { get; set; }

    internal void Add(CrashStatistics other)
    {
        Workloads += other.Workloads;
        Points += other.Points;
        Offered += other.Offered;
        Equal += other.Equal;
        Tried += other.Tried;
        Counted += other.Counted;
        Nested += other.Nested;
        NestedTwice += other.NestedTwice;
        LostSector += other.LostSector;
        RecoveredEarlier += other.RecoveredEarlier;
        Kills += other.Kills;
        Damaged += other.Damaged;
        Deceived += other.Deceived;
        WentOn += other.WentOn;
        Opens += other.Opens;
        DiskCalls += other.DiskCalls;
    }

    public override string ToString() =>
        $"states {Counted}, nested {Nested}, twice {NestedTwice}, lost-sector {LostSector}, earlier {RecoveredEarlier}, "
        + $"tried {Tried}, equal {Equal}, "
        + $"offered {Offered}, workloads {Workloads}, disk calls {DiskCalls}, crash points {Points}, kills {Kills}, "
        + $"damaged {Damaged}, deceived {Deceived}, went on {WentOn}, opens {Opens}";
}

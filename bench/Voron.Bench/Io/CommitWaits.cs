using System.Globalization;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;

namespace Voron.Bench.Io;

/// <summary>
/// How often the commits of a store wait for the device, from a trace of their system calls: syncs, and writes to files that are opened so
/// that a write returns only when the device has it. A store whose commits do not all wait at least once promises less than the others, and
/// its rows say nothing beside theirs.
/// </summary>
/// <param name="Commits">Commits that were traced.</param>
/// <param name="WithoutWait">Commits that returned before the device had all that they wrote.</param>
/// <param name="Syncs">Sync calls of all threads during the commits.</param>
/// <param name="ThroughWrites">Write-through writes of all threads.</param>
/// <param name="Writes">Write calls of all threads.</param>
internal sealed record CommitWaits(int Commits, int WithoutWait, int Syncs, int ThroughWrites, int Writes)
{
    /// <summary>The name of the row of a store with its default settings, and of that with the settings that it is compared with.</summary>
    internal const string AsItComes = "default settings";

    internal const string AsCompared = "as compared";

    /// <summary>What a trace that does not come to its end means for a row.</summary>
    internal const string NotTraced = "the trace did not run to its end; strace may not be allowed to trace here";

    /// <summary>What is said of a store whose calls could not be traced.</summary>
    internal const string Unproved = "not proved by a trace";

    private const int FewCommits = 20;

    internal bool AllWait => WithoutWait == 0;

    /// <summary>In words.</summary>
    internal string Verdict => WithoutWait switch
    {
        0 => "every commit waits for the device",
        var none when none == Commits => "no commit waits for the device",
        _ => string.Create(CultureInfo.InvariantCulture, $"{WithoutWait:N0} of {Commits:N0} commits do not wait for the device"),
    };

    /// <summary>Why a store must not be compared; null when all of its commits wait.</summary>
    internal string? Refusal => AllWait ? null : $"refused: {Verdict}";

    /// <summary>Counts a few commits with the settings of the comparison; null where they cannot be traced.</summary>
    internal static CommitWaits? Prove(BenchRun run, StoreKind kind) =>
        IoProcess.InstallLine is null ? Of(run, kind, isAsItComes: false, FewCommits) : null;

    /// <summary>Counts; null when the trace did not run to its end.</summary>
    internal static CommitWaits? Of(BenchRun run, StoreKind kind, bool isAsItComes, int commits)
    {
        string folder = run.Workspace.NextDatabase();
        List<IoCall>? calls = IoProcess.Trace(
            new IoChild(kind.Name, isAsItComes, folder, KeyOrder.Random, DataSet.ValueBytes, commits, CountsDevice: false));
        if (Directory.Exists(folder))
        {
            Workspace.Remove(folder);
        }

        return calls is null ? null : Of(calls);
    }

    internal static CommitWaits Of(List<IoCall> calls)
    {
        (int commits, int withoutWait) = IoTrace.CountCommits(calls);
        return new CommitWaits(
            commits,
            withoutWait,
            calls.Count(static call => call.Kind == IoKind.Sync),
            calls.Count(static call => call.IsThrough),
            calls.Count(static call => call.Kind == IoKind.Write));
    }

    /// <summary>A row of the table of what a commit costs.</summary>
    internal static Row Measure(BenchRun run, StoreKind kind, bool isAsItComes)
    {
        (string name, string mode) = isAsItComes ? (AsItComes, "default") : (AsCompared, "sync");
        if ((kind.InstallLine ?? IoProcess.InstallLine) is { } line)
        {
            return Row.Skipped(name, kind.Name, mode, line);
        }

        if (Of(run, kind, isAsItComes, run.Scaled(100, FewCommits)) is not { Commits: > 0 } waits)
        {
            return Row.Skipped(name, kind.Name, mode, NotTraced);
        }

        double commits = waits.Commits;
        return Row.Counted(name, kind.Name, mode, waits.Commits) with
        {
            Durability = isAsItComes ? kind.DefaultDurability : kind.Durability,
            Version = kind.Version,
            WritesPerCommit = waits.Writes / commits,
            WriteThroughPerCommit = waits.ThroughWrites / commits,
            SyncsPerCommit = waits.Syncs / commits,
            Note = $"{(waits.AllWait || isAsItComes ? string.Empty : "REFUSED: ")}{waits.Verdict}; "
                + (isAsItComes ? kind.DefaultDurability : kind.Durability),
        };
    }
}

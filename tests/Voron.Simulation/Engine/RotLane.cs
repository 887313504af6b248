using Voron.Simulation.Crashes;
using Voron.Storage;

namespace Voron.Simulation.Engine;

/// <summary>
/// Flips bits of acknowledged commit records at rest. A record of the last write looks like a torn tail when it rots; any other one must
/// be told from a torn tail: the open
/// refuses, or, where the bits meant nothing, recovers everything. It never gives less and calls that the end of the journal.
/// </summary>
internal static class RotLane
{
    private const int BytesOfEachWrite = 3;

    internal static CrashStatistics Run(long states, WorkloadOptions sizes)
    {
        var statistics = new CrashStatistics();
        foreach (ulong seed in SimSeed.List(1_000_000))
        {
            statistics.Workloads++;
            Workload workload = Workload.Generate(seed, sizes);
            RunWorkload(workload, statistics);
            if (statistics.Tried >= states)
            {
                break;
            }
        }

        return statistics;
    }

    private static void RunWorkload(Workload workload, CrashStatistics statistics)
    {
        var origin = new CrashOrigin(workload, workload.Seed, "Voron.Simulation.Engine.EngineCrashTests", string.Empty);
        var disk = new SimDisk(workload.Seed);
        var writes = new List<SimCall>();
        disk.OnCall = (call, phase) =>
        {
            if (phase == SimPhase.After && call.Kind == SimCallKind.Write && call.Path.EndsWith(".commit", StringComparison.Ordinal))
            {
                writes.Add(call);
            }
        };
        var subject = new EngineSubject();
        ICrashSession session = subject.Open(disk);
        foreach (WorkloadStep step in workload.Steps)
        {
            _ = step.Transactions.Count == 1 ? session.Commit(step.Transactions[0]) : session.CommitGroup(step.Transactions);
        }

        long last = session.LastTransactionId;
        SimSnapshot left = disk.Capture();
        disk.OnCall = null;
        disk.PowerOff();
        session.Abandon();
        var random = new SimRandom(SimRandom.Mix(workload.Seed, 5));
        foreach (SimCall write in writes.SkipLast(1))
        {
            for (int i = 0; i < BytesOfEachWrite; i++)
            {
                // The first sector of a write holds the head of a record; anything else may be body or padding.
                int reach = i == 0 ? 96 : (int)write.Length;
                long offset = write.Offset + random.Below(reach);
                string where = $"a bit of {write.Path} flipped at offset {offset}";
                statistics.Tried++;
                OpenRotten(left.Kill(), write.Path, offset, last, statistics, what => origin.Failure("O2", what, where));
            }
        }
    }

    private static void OpenRotten(
        SimDisk disk, string path, long offset, long last, CrashStatistics statistics, Func<string, Exception> failure)
    {
        disk.Damage(path, offset, 0x10);
        statistics.Opens++;
        ICrashSession session;
        try
        {
            session = new EngineSubject().Open(disk);
        }
        catch (Exception error) when (error is CorruptJournalException or StorageCorruptException)
        {
            statistics.Damaged++;
            return;
        }

        long recovered = session.LastTransactionId;
        disk.PowerOff();
        session.Abandon();
        if (recovered != last)
        {
            throw failure($"recovered to transaction {recovered} of {last} acknowledged ones and did not say that the journal is damaged");
        }
    }
}

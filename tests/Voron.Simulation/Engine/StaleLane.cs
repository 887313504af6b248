using Voron.Simulation.Crashes;

namespace Voron.Simulation.Engine;

/// <summary>
/// A chunk with the rest of a torn group in it is recycled, and new commits of the same ids are written over its beginning, so that in
/// some of the runs an old record
/// stands exactly where the next new one would. It must not come back to life.
/// </summary>
internal static class StaleLane
{
    private const int BlockBytes = 4096;

    /// <summary>A value that makes the record of one put of a one-byte key into an existing tree exactly one block long.</summary>
    private const int ValueOfOneBlock = BlockBytes - 96 - 12;

    private const int BigBytes = 80 << 10;

    private static readonly byte[] Key = [(byte)'B'];

    internal static CrashStatistics Run(long states)
    {
        var statistics = new CrashStatistics();
        foreach (ulong seed in SimSeed.List((int)Math.Clamp((states + 17) / 18, 1, 100)))
        {
            foreach (int lost in (ReadOnlySpan<int>)[1, 2, 3])
            {
                for (int blocks = 0; blocks < 6; blocks++)
                {
                    RunOne(seed, lost, blocks, statistics);
                }
            }
        }

        return statistics;
    }

    /// <param name="seed">Seed of the disk and the values.</param>
    /// <param name="lost">How many records of the group the cut takes.</param>
    /// <param name="blocks">How much longer the record over the chunk's beginning is than the one that stood there.</param>
    /// <param name="statistics">Counts the states.</param>
    private static void RunOne(ulong seed, int lost, int blocks, CrashStatistics statistics)
    {
        // All values go through the journal, whose old records are what this is about.
        var subject = new EngineSubject(placedValueBytes: int.MaxValue);
        var disk = new SimDisk(seed);
        ICrashSession first = subject.Open(disk);
        first.Commit(Put(seed, 10));
        long promised = first.Commit(Put(seed, BigBytes));
        SimSnapshot? torn = null;
        SimCall? write = null;
        disk.OnCall = (call, phase) => (torn, write) = phase == SimPhase.Issued ? (disk.Capture(), call) : (torn, write);
        first.CommitGroup([.. Enumerable.Range(0, 6).Select(_ => Put(seed, ValueOfOneBlock))]);
        disk.OnCall = null;
        disk.PowerOff();
        first.Abandon();

        var kept = new AtomSet(torn!.Atoms.Length);
        for (int i = 0; i < kept.Count; i++)
        {
            kept[i] = torn.Atoms[i].CallNumber != write!.Number
                || torn.Atoms[i].Position * SimContent.SectorBytes >= write.Offset + (lost * BlockBytes);
        }

        SimDisk after = torn.Cut(kept);
        ICrashSession second = subject.Open(after);
        string where = $"seed {seed}, {lost} records of the group lost, a record {blocks} blocks longer over the beginning";
        Require(seed, second.LastTransactionId, promised, "after the torn group, " + where);
        second.Commit(Put(seed, 20));
        second.Checkpoint();
        promised = second.Commit(Put(seed, BigBytes + (blocks * BlockBytes)));
        SimDisk killed = after.Kill();
        after.PowerOff();
        second.Abandon();

        statistics.Tried++;
        statistics.Opens += 2;
        ICrashSession third = Reopen(subject, killed, seed, where);
        long recovered = third.LastTransactionId;
        killed.PowerOff();
        third.Abandon();
        Require(seed, recovered, promised, "after the chunk was used again, " + where);
    }

    private static WorkloadTransaction Put(ulong seed, int valueBytes)
    {
        byte[] value = new byte[valueBytes];
        new SimRandom(seed).Fill(value);
        return new WorkloadTransaction([new WorkloadChange(Key, value)]);
    }

    private static ICrashSession Reopen(EngineSubject subject, SimDisk disk, ulong seed, string where)
    {
        try
        {
            return subject.Open(disk);
        }
        catch (Exception error)
        {
            throw new CrashFailureException("O1: it does not open; " + where, error) { Oracle = "O1", Seed = seed };
        }
    }

    private static void Require(ulong seed, long recovered, long promised, string where)
    {
        if (recovered != promised)
        {
            string what = $"O2: recovered to transaction {recovered}, promised were exactly {promised}; {where}";
            throw new CrashFailureException(what) { Oracle = "O2", Seed = seed };
        }
    }
}

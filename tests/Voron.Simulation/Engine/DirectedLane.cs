using Voron.Simulation.Crashes;
using Voron.Simulation.Faults;
using Voron.Storage;
using Voron.Storage.Versions;
using static Voron.Simulation.Faults.NumberedRows;

namespace Voron.Simulation.Engine;

/// <summary>
/// Combinations of events that chance hardly ever brings together, each played on purpose: the seed is the number of the case. After each
/// the database holds every row that was committed, or is refused where something that was acknowledged is lost.
/// </summary>
internal static class DirectedLane
{
    internal const string DataFile = Folder + "/data.voron";
    internal const int PageBytes = 4096;
    internal const int PlacedBytes = 100_000;

    private static readonly (string What, Action Play)[] Cases =
    [
        ("two image sets behind the slot that is left", CheckpointCases.LoseSlotsInsideCheckpoints),
        ("a slot lost after a large roll-back and a clean close", CheckpointCases.LoseSlotsAfterRollback),
        ("either slot lost at rest", CheckpointCases.LoseEitherSlot),
        ("a failed write beside its caller", FailOverlappedWrite),
        ("all commit chunks lost", LoseAllChunks),
        ("a commit chunk that gets shorter during the open", ShortenChunk),
        ("a commit chunk with a damaged header", DamageChunkHeader),
        ("a damaged table of a complete image set", CheckpointCases.DamageTable),
        ("a large value that is lost before its checkpoint", LoseLargeValue),
        ("commits behind chunks that a slot knows to be empty", CommitBehindClosedChunks),
        ("a close after a failed sync", CloseAfterFailedSync),
        ("a spill file that the system has lost", LoseSpillFile),
        ("writes to a data file at rest", CheckpointCases.WatchRest),
        ("a failed sync whose pages the cache cannot forget", PinCache),
        ("a reader that begins before a deletion is published", FreedRunCases.ReadBeforePublished),
        ("a reader beside every step that marks its page", FreedRunCases.ReadWhileMarked),
        ("kills beside a reader of hundreds of pages", LongReaderCases.KillAfterEachCheckpoint),
        ("pages that leave the list of deferred ones", LongReaderCases.EndOneOfTwoReaders),
        ("a reader over many checkpoints", LongReaderCases.StayForManyCheckpoints),
        ("a lost or wrong list of deferred pages", LongReaderCases.LoseLinkedTable),
        ("a torn slot that the cache shows whole", CheckpointCases.TearSlotBelowCache),
        ("pages in the cache that nothing can be compared with", KeepUnknownPages),
        ("a damaged file with the name of the next page chunk", CheckpointCases.TakeNextName),
        ("a map that fails while the data file grows", CheckpointCases.FailMapOfGrowth),
        ("a buffered commit that the sync before a durable one loses", LoseBufferedCommit),
        ("a cut while a close shortens the journal, and a slot lost after it", CheckpointCases.CutWhileClosing),
        ("puts behind the position of a merge", PendingCases.PutBehindMerges),
        ("a leaf that is damaged while entries of it are pending", PendingCases.DamageLeafOfPending),
        ("a tree that is dropped and made anew in one transaction", PendingCases.MakeTreeAnew),
        ("an open with less memory after a kill right behind a checkpoint", PendingCases.OpenWithLessMemory),
        ("new rows all over a tree with pending entries", PendingCases.PutAllOverTree),
        ("large values that are replaced in a tree with pending entries", PendingValueCases.ReplaceLargeValues),
        ("a key in several layers of a pending tree", PendingCases.ReadThroughLayers),
        ("a leaf that is damaged while several layers have entries of it", PendingCases.DamageLeafBelowLayers),
        ("rows in several layers that are merged", PendingCases.MergeSeveralLayers),
        ("large values that are replaced in a write-optimized tree", BlindCases.ReplaceLargeValues),
        ("large values that are replaced there later", BlindCases.ReplaceLargeValuesLater),
        ("ranges of a write-optimized tree of which some is pending", BlindCases.DeleteRangeOfPending),
        ("gets beside rounds of merges", PendingCases.ReadBesideRounds),
        ("pending rows replaced by long ones beside short ones", PendingValueCases.MixLengths),
        ("a layer that the system has lost", PendingValueCases.LoseLayer),
        ("gets in older snapshots beside layers that come and go", PendingValueCases.ReadOlderSnapshots),
    ];

    internal static int CaseCount => Cases.Length;

    internal static CrashStatistics Run()
    {
        CrashStatistics statistics = new();
        foreach (ulong seed in SimSeed.List(Cases.Length))
        {
            (string what, Action play) = Cases[(int)((seed - 1) % (ulong)Cases.Length)];
            try
            {
                statistics.Workloads++;
                statistics.Tried++;
                statistics.Opens++;
                play();
            }
            catch (Exception error)
            {
                throw new CrashFailureException($"case {seed}, {what}: {error.Message}", error) { Oracle = "O2", Seed = seed };
            }
        }

        return statistics;
    }

    /// <summary>Many puts in no order are made while the device writes their record.</summary>
    private static void FailOverlappedWrite()
    {
        using FaultRig rig = new FaultRig().Open();
        rig.Commit();
        rig.Break(SimCallKind.Write, "*.commit", IoErrorKind.Device, times: 1);
        using (WriteTransaction transaction = rig.Environment.BeginWrite())
        {
            NumberedRows.Put(transaction, Enumerable.Range(rig.Acknowledged, 40).Reverse(), 100);
            try
            {
                transaction.Commit();
                rig.Acknowledge(40);
            }
            catch (CommitOutcomeUnknownException)
            {
                // Neither acknowledged nor shown.
            }
        }

        RequireAll(rig, rig.Disk.Cut(CutChoice.None), "a cut after the write");
    }

    /// <summary>A header slot names the first chunk of a new database, and the last one that an open has found.</summary>
    private static void LoseAllChunks()
    {
        for (int reopens = 0; reopens < 2; reopens++)
        {
            using FaultRig rig = new FaultRig().Open();
            rig.Commit();
            for (int i = 0; i < reopens; i++)
            {
                rig.Restart();
                rig.Commit();
            }

            SimDisk left = rig.Disk.Kill();
            foreach (string chunk in left.Paths().Where(static path => path.EndsWith(".commit", StringComparison.Ordinal)).ToArray())
            {
                left.Delete(chunk);
            }

            RequireRefused(left, $"all commit chunks lost after {reopens} reopens");
        }
    }

    /// <summary>
    /// At each of the moments at which an open looks for the file: what is left ends with the record of the checkpoint's snapshot, as if
    /// nothing had been committed since.
    /// </summary>
    private static void ShortenChunk()
    {
        using FaultRig rig = new FaultRig().Open();
        rig.Commit();
        rig.Environment.Checkpoint();
        rig.Commit(40, 1_000);
        for (int opening = 1; opening <= 9; opening++)
        {
            SimDisk left = rig.Disk.Kill();
            left.Faults.Add(new SimFault
            {
                Calls = SimCallKind.OpenFile, Path = "*.commit", From = opening, Effect = SimFaultEffect.Delay, Pause = () => Shorten(left),
            });
            try
            {
                RequireAll(rig, left, $"a chunk cut off at its opening {opening}");
            }
            catch (StorageException)
            {
                // The loss was told.
            }
        }
    }

    private static void Shorten(SimDisk disk)
    {
        string chunk = disk.Paths().Single(static path => path.EndsWith(".commit", StringComparison.Ordinal));
        disk.OpenFile(chunk, FileOpening.None, out IDiskFile? file);
        using (file)
        {
            file!.SetLength(8192);
        }
    }

    /// <summary>Neither another chunk nor a slot names it, but its records go on from the last good one.</summary>
    private static void DamageChunkHeader()
    {
        const string Second = Folder + "/journal/0000000000000002.commit";
        using FaultRig rig = new FaultRig().Open();
        while (rig.Disk.Peek(Second) is null)
        {
            rig.Commit(20, 1_000);
        }

        rig.Commit();
        SimDisk left = rig.Disk.Kill();
        left.Damage(Second, offset: 20, mask: 1);
        RequireRefused(left, "the second chunk's header damaged");
    }

    /// <summary>The journal names it, and nothing but the data file holds it: its first page is as if it had never been written.</summary>
    private static void LoseLargeValue()
    {
        using FaultRig rig = new FaultRig().Open();
        rig.Commit();
        rig.Commit(1, PlacedBytes);
        SimDisk left = rig.Disk.Kill();
        int at = left.Peek(DataFile).AsSpan().IndexOf(Value(rig.Acknowledged - 1, PlacedBytes).AsSpan(0, 64));
        Require(at > 0, "the value is in the data file");
        left.Damage(DataFile, at / PageBytes * PageBytes, mask: 1);
        RequireRefused(left, "a placed value lost");
    }

    /// <summary>
    /// A slot says that chunks up to a sequence hold nothing, so none of them need be there; but no later commit may go to a chunk of such
    /// a sequence.
    /// </summary>
    private static void CommitBehindClosedChunks()
    {
        using FaultRig rig = new FaultRig().Open(maxDirtyBytes: 1 << 20);
        rig.Commit(50);
        using (WriteTransaction giant = rig.Environment.BeginWrite())
        {
            rig.Put(giant, 9_000);
        }

        rig.Environment.Dispose();
        string[] chunks = [.. rig.Disk.Paths().Where(static path => path.EndsWith(".commit", StringComparison.Ordinal)).Order()];
        foreach (string unneeded in chunks[1..])
        {
            rig.Disk.Delete(unneeded);
        }

        rig.Open();
        rig.Commit();
        RequireAll(rig, rig.Disk.Kill(), "a commit behind the closed chunks");
    }

    private static void CloseAfterFailedSync()
    {
        using FaultRig rig = new FaultRig().Open();
        rig.Commit(100);
        rig.Environment.Checkpoint();
        rig.Commit(400);
        rig.Disk.Faults.Add(new SimFault { Calls = SimCallKind.SyncData, Path = DataFile, Effect = SimFaultEffect.LoseUnsynced });
        try
        {
            rig.Environment.Checkpoint();
            throw new SiteFailureException("the checkpoint did not notice that its sync failed");
        }
        catch (StorageIOException)
        {
            // Told; the close below must neither try again nor complain.
        }

        rig.Environment.Dispose();
        RequireAll(rig, rig.Disk.Cut(CutChoice.None), "a cut after the close");
    }

    private static void LoseBufferedCommit()
    {
        const int Keys = 20;
        using FaultRig rig = new FaultRig().Open();
        rig.Commit();
        using (WriteTransaction buffered = rig.Environment.BeginWrite())
        {
            rig.Put(buffered, Keys);
            buffered.Commit(CommitMode.Buffered);
        }

        rig.Disk.Faults.Add(new SimFault { Calls = SimCallKind.SyncData, Path = "*.commit", Effect = SimFaultEffect.LoseUnsynced });
        using (WriteTransaction durable = rig.Environment.BeginWrite())
        {
            rig.Put(durable, 2 * Keys);
            try
            {
                durable.Commit();
                rig.Acknowledge(2 * Keys);
            }
            catch (CommitOutcomeUnknownException)
            {
                // Neither acknowledged nor shown.
            }
        }

        RequireAll(rig, rig.Disk.Cut(CutChoice.None), "a cut after the durable commit");
    }

    private static void LoseSpillFile()
    {
        using FaultRig rig = new FaultRig().Open(maxDirtyBytes: 1 << 20);
        rig.Commit();
        rig.Environment.Checkpoint();
        rig.Commit(1_200, 1_500);
        rig.Break(SimCallKind.SyncData, Folder + "/voron.spill", IoErrorKind.Device);
        try
        {
            rig.Environment.Checkpoint();
            throw new SiteFailureException("a checkpoint believed a spill file that the system has lost");
        }
        catch (StorageIOException)
        {
            // Told.
        }

        RequireAll(rig, rig.Disk.Cut(CutChoice.None), "a cut after the failed checkpoint");
    }

    internal static StorageEnvironment Reopen(SimDisk disk) =>
        StorageEnvironment.Open(Folder, new StorageOptions { Engine = new() { Disk = disk, Background = false } });

    internal static void RequireAll(FaultRig rig, SimDisk left, string where)
    {
        using StorageEnvironment environment = Reopen(left);
        int rows = Read(environment);
        Require(rows == rig.Acknowledged, $"{rows} of {rig.Acknowledged} rows are there, {where}");
        Require(environment.Check().Findings.Count == 0, $"the check finds something, {where}");
    }

    /// <summary>What is written again over such pages might never reach the device either.</summary>
    private static void PinCache()
    {
        using FaultRig rig = new FaultRig().Open();
        rig.Commit(400);
        rig.Environment.Checkpoint();
        rig.Rewrite();
        rig.Disk.Faults.Add(new SimFault { Calls = SimCallKind.SyncData, Path = DataFile, From = 2, Effect = SimFaultEffect.LoseUnsynced });
        try
        {
            rig.Environment.Checkpoint();
            throw new SiteFailureException("the checkpoint did not notice that its sync failed");
        }
        catch (StorageIOException)
        {
            SimDisk left = rig.Disk.Kill();
            left.PinsCache = true;
            try
            {
                using StorageEnvironment environment = Reopen(left);
                throw new SiteFailureException("it opens on pages that the device does not have");
            }
            catch (StorageIOException)
            {
                left.PinsCache = false;
                RequireAll(rig, left, "the process ended that had the file mapped");
            }
        }
    }

    /// <summary>Without unbuffered reads it stays open whether the device has what the cache holds; the open says so.</summary>
    private static void KeepUnknownPages()
    {
        using FaultRig rig = new FaultRig(options: new SimDiskOptions { RefusesUnbuffered = true }).Open();
        rig.Commit();
        SimDisk left = rig.Disk.Kill();
        left.PinsCache = true;
        List<StorageEvent> events = [];
        StorageOptions options = new() { Engine = new() { Disk = left, Background = false }, OnEvent = events.Add };
        using StorageEnvironment environment = StorageEnvironment.Open(Folder, options);
        Require(events.Exists(static one => one.Kind == StorageEventKind.DurabilityDoubtful), "the open tells of pages it cannot compare");
    }

    internal static void RequireRefused(SimDisk left, string where)
    {
        try
        {
            using StorageEnvironment environment = Reopen(left);
        }
        catch (StorageException error) when (error is StorageCorruptException or CorruptJournalException)
        {
            return;
        }

        throw new SiteFailureException($"it opens, {where}");
    }
}

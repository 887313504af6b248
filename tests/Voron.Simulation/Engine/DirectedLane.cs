using System.Runtime.InteropServices;
using Voron.Simulation.Crashes;
using Voron.Simulation.Faults;
using Voron.Storage;
using Voron.Storage.Format;
using Voron.Storage.Platform;
using static Voron.Simulation.Faults.NumberedRows;

namespace Voron.Simulation.Engine;

/// <summary>
/// Combinations of events that chance hardly ever brings together, each played on purpose: the seed is the number of the case. After each
/// the database holds every row that was committed, or is refused where something that was acknowledged is lost.
/// </summary>
internal static class DirectedLane
{
    private const string DataFile = Folder + "/data.voron";
    private const int PageBytes = 4096;
    private const int PlacedBytes = 100_000;

    private static readonly (string What, Action Play)[] Cases =
    [
        ("two batches behind the slot that is left", LoseSlotsInsideCheckpoints),
        ("a slot lost after a large roll-back and a clean close", LoseSlotsAfterRollback),
        ("either slot lost at rest", LoseEitherSlot),
        ("a failed write beside its caller", FailOverlappedWrite),
        ("all commit chunks lost", LoseAllChunks),
        ("a commit chunk that gets shorter during the open", ShortenChunk),
        ("a commit chunk with a damaged header", DamageChunkHeader),
        ("a damaged table of a complete batch", DamageTable),
        ("a large value that is lost before its checkpoint", LoseLargeValue),
        ("commits behind chunks that a slot knows to be empty", CommitBehindClosedChunks),
        ("a close after a failed sync", CloseAfterFailedSync),
        ("a spill file that the system has lost", LoseSpillFile),
        ("writes to a data file at rest", WatchRest),
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

    /// <summary>
    /// While large values are placed, the older slot is of the checkpoint before; a cut inside the next one and the loss of the newer slot
    /// leave two complete batches to be found.
    /// </summary>
    private static void LoseSlotsInsideCheckpoints()
    {
        for (int seed = 1; seed <= 3; seed++)
        {
            using FaultRig rig = new FaultRig((ulong)seed).Open();
            SortedDictionary<int, int> rows = [];
            Random random = new(seed);
            using (WriteTransaction placing = rig.Environment.BeginWrite())
            {
                placing.OpenTree("placed").Put([1], new byte[PlacedBytes]);
                placing.Commit();
            }

            foreach (int count in (int[])[500, 300])
            {
                Change(rig, random, rows, count);
                rig.Environment.Checkpoint();
            }

            Change(rig, random, rows, 300);
            foreach (SimSnapshot moment in InPlaceMoments(rig))
            {
                for (int slot = 0; slot < 2; slot++)
                {
                    SimDisk left = moment.Cut(CutChoice.All);
                    DamageSlot(left, slot);
                    using StorageEnvironment environment = Reopen(left);
                    RequireRows(environment, rows, $"slot {slot} damaged");
                }
            }
        }
    }

    /// <summary>Chunks that only a rolled-back transaction filled are gone after the close; neither slot may ask for them.</summary>
    private static void LoseSlotsAfterRollback()
    {
        using FaultRig rig = new FaultRig().Open(maxDirtyBytes: 1 << 20);
        rig.Commit(50);
        using (WriteTransaction giant = rig.Environment.BeginWrite())
        {
            rig.Put(giant, 9_000);
        }

        rig.Environment.Dispose();
        for (int slot = 0; slot < 2; slot++)
        {
            SimDisk left = rig.Disk.Kill();
            DamageSlot(left, slot);
            RequireAll(rig, left, $"slot {slot} damaged");
        }
    }

    private static void LoseEitherSlot()
    {
        using FaultRig rig = new FaultRig().Open();
        for (int i = 0; i < 4; i++)
        {
            rig.Commit();
            rig.Environment.Checkpoint();
            for (int slot = 0; slot < 2; slot++)
            {
                SimDisk left = rig.Disk.Kill();
                DamageSlot(left, slot);
                RequireAll(rig, left, $"slot {slot} damaged after checkpoint {i + 1}");
            }
        }
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

    /// <summary>Also the only one: a header slot names the first chunk of a new database, and the last one that an open has found.</summary>
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

    /// <summary>Pages of the checkpoint may be in the file already, so the one before it is no base any more.</summary>
    private static void DamageTable()
    {
        using FaultRig rig = new FaultRig().Open();
        SortedDictionary<int, int> rows = [];
        Random random = new(1);
        foreach (int count in (int[])[500, 300])
        {
            Change(rig, random, rows, count);
            rig.Environment.Checkpoint();
        }

        Change(rig, random, rows, 300);
        foreach (SimSnapshot moment in InPlaceMoments(rig))
        {
            SimDisk left = moment.Cut(CutChoice.All);
            BatchHead head = left.Paths().Where(static path => path.EndsWith(".pages", StringComparison.Ordinal))
                .SelectMany(path => HeadsIn(left.Peek(path)!)).MaxBy(static head => head.Checkpoint);
            Require(head.TableSequence > 0, "the newest batch has a table");
            left.Damage($"{Folder}/journal/{head.TableSequence:D16}.pages", head.TableOffset + 8, mask: 1);
            RequireRefused(left, "the table of the newest batch damaged");
        }
    }

    private static IEnumerable<BatchHead> HeadsIn(byte[] chunk) =>
        from block in Enumerable.Range(0, chunk.Length / FormatConstants.BlockBytes)
        let head = MemoryMarshal.Read<BatchHead>(chunk.AsSpan(block * FormatConstants.BlockBytes))
        where head.Magic == FormatConstants.BatchMagic
        select head;

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
    /// A slot says that chunks up to a sequence hold nothing, so none of them need be there; but no later commit may go to a chunk of such a
    /// sequence.
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

    /// <summary>
    /// Before anything but a slot is written to the data file, a slot on the device says that the file is at rest no more: without it an
    /// open would believe a page cache that may hide a failed write.
    /// </summary>
    private static void WatchRest()
    {
        using FaultRig rig = new FaultRig().Open();
        int writes = 0;
        rig.Disk.OnCall = (call, phase) =>
        {
            bool isPage = call.Kind == SimCallKind.Write && call.Path == DataFile && call.Offset >= 2 * PageBytes;
            if (phase == SimPhase.Before && isPage)
            {
                writes++;
                byte[] onDevice = rig.Disk.Cut(CutChoice.None).Peek(DataFile)!;
                Require(!IsAtRest(onDevice), $"the file is said to be at rest while page {call.Offset / PageBytes} is written");
            }
        };
        for (int i = 0; i < 2; i++)
        {
            rig.Commit();
            rig.Environment.Checkpoint();
            rig.Commit();
            rig.Environment.Dispose();
            rig.Open();
            rig.Commit(1, PlacedBytes);
            rig.Environment.Dispose();
            rig.Open();
        }

        rig.Disk.OnCall = null;
        Require(writes > 8, "pages were written");
        RequireAll(rig, rig.Disk.Kill(), "a kill");
    }

    private static bool IsAtRest(ReadOnlySpan<byte> file)
    {
        HeaderSlot first = MemoryMarshal.Read<HeaderSlot>(file);
        HeaderSlot second = MemoryMarshal.Read<HeaderSlot>(file[PageBytes..]);
        return (first.Generation > second.Generation ? first : second).IsAtRest != 0;
    }

    /// <summary>The moments of the next checkpoint behind each page that is written once its batch is complete.</summary>
    private static List<SimSnapshot> InPlaceMoments(FaultRig rig)
    {
        List<SimSnapshot> moments = [];
        bool isComplete = false;
        rig.Disk.OnCall = (call, phase) =>
        {
            bool isPageChunk = call.Path.EndsWith(".pages", StringComparison.Ordinal);
            isComplete |= isPageChunk && call.Kind == SimCallKind.SyncData && phase == SimPhase.After;
            if (isComplete && phase == SimPhase.After && call.Kind == SimCallKind.Write && call.Path == DataFile && call.Offset >= 2 * PageBytes)
            {
                moments.Add(rig.Disk.Capture());
            }
        };
        rig.Environment.Checkpoint();
        rig.Disk.OnCall = null;
        Require(moments.Count > 0, "pages are written behind the batch");
        return moments;
    }

    private static void Change(FaultRig rig, Random random, SortedDictionary<int, int> rows, int count)
    {
        using WriteTransaction transaction = rig.Environment.BeginWrite();
        Tree tree = transaction.OpenTree(NumberedRows.Tree);
        for (int i = 0; i < count; i++)
        {
            int key = random.Next(2_000);
            rows[key] = random.Next();
            tree.Put(Key(key), ValueOf(rows[key]));
        }

        transaction.Commit();
    }

    private static byte[] ValueOf(int seed) => Value(seed, 10 + (seed % 290));

    private static void DamageSlot(SimDisk disk, int slot) => disk.Damage(DataFile, (slot * PageBytes) + 50, mask: 1);

    private static StorageEnvironment Reopen(SimDisk disk) =>
        StorageEnvironment.Open(Folder, new StorageOptions { Storage = disk, Background = false });

    private static void RequireRows(StorageEnvironment environment, SortedDictionary<int, int> rows, string where)
    {
        using ReadTransaction read = environment.BeginRead();
        ReadTree tree = read.OpenTree(NumberedRows.Tree);
        foreach ((int key, int seed) in rows)
        {
            bool isRight = tree.TryGet(Key(key), out ReadOnlySpan<byte> value) && value.SequenceEqual(ValueOf(seed));
            Require(isRight, $"row {key} is wrong, {where}");
        }
    }

    private static void RequireAll(FaultRig rig, SimDisk left, string where)
    {
        using StorageEnvironment environment = Reopen(left);
        int rows = Read(environment);
        Require(rows == rig.Acknowledged, $"{rows} of {rig.Acknowledged} rows are there, {where}");
        Require(environment.Check().Findings.Count == 0, $"the check finds something, {where}");
    }

    private static void RequireRefused(SimDisk left, string where)
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

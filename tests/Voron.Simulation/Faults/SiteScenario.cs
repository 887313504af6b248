using Voron.Storage;
using Voron.Storage.Format;
using Voron.Storage.Rescue;
using static Voron.Simulation.Faults.NumberedRows;

namespace Voron.Simulation.Faults;

/// <summary>A piece of a database's life that meets some of the call sites.</summary>
/// <param name="Name">What it is about.</param>
/// <param name="Prepare">Played on a disk that works.</param>
/// <param name="Play">Played while a site fails.</param>
internal sealed record SiteScenario(string Name, Action<SiteRig> Prepare, Action<SiteRig> Play)
{
    internal static IReadOnlyList<SiteScenario> All { get; } =
    [
        new("a first life", static _ => { }, Live),
        new("commits over chunk ends", static rig => rig.Open(), CommitMuch),
        new("a recovery", LeaveMuch, Recover),
        new("a recovery beside a damaged chunk", LeaveDamagedChunk, Recover),
        new("a recovery of a deferred list", LeaveDeferred, Recover),
        new("an opening without the lock file", LoseLockFile, static rig => Recover(rig, createIfMissing: false)),
        new("growth without room for a step", static rig => rig.Open(), GrowIntoLittleRoom),
        new("a chunk that cannot be made", static rig => rig.Open(), FailToMakeChunks),
        new("a chunk that cannot be named", static rig => rig.Open(), FailToNameChunks),
        new("an opening for nothing", LoseLockFile, OpenAndClose),
        new("a database in memory", static _ => { }, LiveInMemory),
        new("a tail that is cut off", LeaveLongFile, CutTail),
        new("a transaction that spills", static rig => rig.Open(maxDirtyBytes: 1 << 20), Spill),
        new("a spill file with little room", static rig => rig.Open(maxDirtyBytes: 1 << 20), SpillIntoLittleRoom),
        new("long chunks that are deleted", static rig => rig.Open(softLimitBytes: 4 << 20), OutgrowChunks),
        new("spare chunks that are given back", SpareScenario.Leave, SpareScenario.GrowInto),
        new("a hole in the middle", LeaveHole, PunchHole),
        new("engine threads", static _ => { }, LiveWithThreads),
        new("a recovery that reads ahead", LeaveLongJournal, static rig => rig.Open(background: true)),
        new("a recovery of a long record", LeaveLongRecord, static rig => rig.Open()),
        new("a recovery of large values", LeavePlaced, static rig => rig.Open(placedValueBytes: 20_000)),
        new("a recovery beside an unreadable block", LeaveUnreadable, static rig => rig.Open()),
        new("a read-only opening", LeaveMuch, static rig => rig.OpenReadOnly()),
        new("a scrub", LeaveMuch, Scrub),
        new("an inspection", LeaveRuns, static rig => rig.Inspect()),
        new("a salvage", LeaveMuch, static rig => rig.Salvage()),
        new("an empty database that follows", LeaveSource, BecomeFollower),
        new("a promotion", LeaveFollower, BePromoted),
        new("a follower of large values", LeaveFollower, TakeLargeValues),
        new("a salvage without header slots", LeaveWithoutSlots, static rig => rig.Salvage()),
    ];

    public override string ToString() => Name;

    private static void Live(SiteRig rig)
    {
        rig.Open();
        rig.Commit();
        rig.Commit(2, 9_000);
        rig.Checkpoint();
        rig.OpenReader();
        rig.Commit(60);
        rig.Checkpoint();
        rig.Commit(40);
        rig.Checkpoint();
        rig.CloseReaders();
        rig.Commit();
        rig.Checkpoint();
        rig.Commit(mode: CommitMode.Buffered);
        rig.Commit(mode: CommitMode.Buffered);
        rig.Commit();
        rig.Commit(mode: CommitMode.Buffered);
        rig.Close();
        rig.Open();
        rig.Commit();
        rig.Close();
    }

    /// <summary>A database without a disk, which only memory can refuse something.</summary>
    private static void LiveInMemory(SiteRig rig) => rig.Do(
        () =>
        {
            StorageOptions options = new() { Engine = new() { Background = false, PlacedValueBytes = 300_000, JournalledBytes = 0 } };
            using StorageEnvironment environment = StorageEnvironment.OpenInMemory(options);
            using WriteTransaction transaction = environment.BeginWrite();
            Put(transaction, [0], 200_000);
            Value(1, 300_000).CopyTo(transaction.OpenTree(NumberedRows.Tree).Reserve(Key(1), 300_000));
            transaction.Commit();
            environment.Checkpoint();
        },
        needsEnvironment: false);

    private static void CommitMuch(SiteRig rig)
    {
        for (int i = 0; i < 4; i++)
        {
            rig.Commit(2, 30_000);
            rig.Commit(20, mode: CommitMode.Buffered);
            rig.Checkpoint();
        }

        rig.Commit(1, 300_000);
        rig.Checkpoint();
        rig.Checkpoint();
        rig.Close();
    }

    private static void LeaveMuch(SiteRig rig)
    {
        rig.Open();
        rig.Commit(200);
        rig.Checkpoint();
        rig.Commit(200);
        rig.Checkpoint();
        rig.Commit(4, 30_000);
        rig.Commit(4, 30_000);

        rig.Kill();
    }

    private static void LeaveDamagedChunk(SiteRig rig)
    {
        rig.Open();
        rig.Commit();
        rig.Kill();
        foreach (string name in (string[])["0000000000000009.commit", FormatConstants.SpareChunkPrefix + FormatConstants.SpareChunkSuffix])
        {
            rig.Disk.OpenFile("/db/journal/" + name, FileOpening.Create, out IDiskFile? file);
            using (file)
            {
                file!.Write(0, new byte[16384]);
                file.SyncData();
            }
        }

        rig.Disk.SyncDirectory("/db/journal");
    }

    private static void LeaveDeferred(SiteRig rig)
    {
        rig.Open();
        rig.Commit(200);
        rig.Checkpoint();
        rig.OpenReader();
        rig.Commit(200);
        rig.Checkpoint();
        rig.Commit();
        rig.Checkpoint();
        rig.Commit();
        rig.Kill();
    }

    private static void LeaveLongJournal(SiteRig rig)
    {
        rig.Open();
        for (int i = 0; i < 4; i++)
        {
            rig.Commit(4, 200_000);
        }

        rig.Kill();
    }

    private static void LeaveLongRecord(SiteRig rig)
    {
        rig.Open();
        rig.Commit(1, 3_000_000);
        rig.Kill();
    }

    private static void LeavePlaced(SiteRig rig)
    {
        rig.Open(placedValueBytes: 20_000);
        rig.Commit(2, 30_000);
        rig.Kill();
    }

    private static void LeaveUnreadable(SiteRig rig)
    {
        rig.Open();
        rig.Commit();
        rig.Kill();
        rig.LoseLastBlock();
    }

    private static void LeaveWithoutSlots(SiteRig rig)
    {
        LeaveMuch(rig);
        rig.LoseSlots();
    }

    private static void LeaveSource(SiteRig rig)
    {
        rig.MakeSource().Commit(20);
        rig.Source!.Commit(1, 30_000);
        rig.Open(placedValueBytes: 20_000);
    }

    private static void LeaveFollower(SiteRig rig)
    {
        LeaveSource(rig);
        rig.Source!.Follow();
        rig.Close();
    }

    private static void BecomeFollower(SiteRig rig)
    {
        rig.Source!.Follow();
        rig.Source.TryOwnCommit();
        rig.Source.Follow();
        rig.Close();
        rig.Open();
        rig.Source.TryOwnCommit();
        rig.Close();
    }

    /// <summary>If it is refused, the database goes on as a follower first, and as what it is in its next life.</summary>
    private static void BePromoted(SiteRig rig)
    {
        rig.Open();
        rig.Source!.Promote();
        rig.Source.Commit(5);
        rig.Source.Follow();
        rig.Source.Promote();
        rig.Commit();
        rig.Close();
        rig.Open();
        rig.Commit();
        rig.Close();
    }

    private static void TakeLargeValues(SiteRig rig)
    {
        rig.Open(placedValueBytes: 20_000);
        rig.Source!.Commit(2, 40_000);
        rig.Source.Commit(5);
        rig.Source.Follow();
        rig.Source.Commit(2, 40_000);
        rig.Source.Follow();
        rig.Kill();
        rig.Open(placedValueBytes: 20_000);
        rig.Source.TryOwnCommit();
        rig.Close();
    }

    private static void Scrub(SiteRig rig)
    {
        rig.Open();
        rig.Scrub();
        rig.Close();
    }

    private static void LoseLockFile(SiteRig rig)
    {
        rig.Open();
        rig.Commit();
        rig.Close();
        rig.Disk.Delete("/db/voron.lock");
    }

    private static void OpenAndClose(SiteRig rig)
    {
        rig.Open();
        rig.Close();
    }

    private static void Recover(SiteRig rig) => Recover(rig, createIfMissing: true);

    private static void Recover(SiteRig rig, bool createIfMissing)
    {
        rig.Open(createIfMissing: createIfMissing);
        rig.Open();
        rig.Commit(40);
        rig.Checkpoint();
        rig.Commit();
        rig.Close();
    }

    /// <summary>The file may not grow by its usual step, only by what is needed.</summary>
    private static void GrowIntoLittleRoom(SiteRig rig)
    {
        rig.Commit(23, 9_000);
        rig.Disk.Faults.Add(new SimFault { Calls = SimCallKind.Allocate, Path = "/db/data.voron", Error = IoErrorKind.DiskFull });
        rig.Checkpoint();
        rig.Commit();
        rig.Checkpoint();
        rig.Close();
    }

    private static void LeaveLongFile(SiteRig rig)
    {
        rig.Open();
        rig.Commit(60, 9_000);
        rig.Checkpoint();
    }

    private static void LeaveRuns(SiteRig rig)
    {
        LeaveLongFile(rig);
        rig.Commit();
        rig.Kill();
    }

    private static void CutTail(SiteRig rig)
    {
        rig.Rewrite(10);
        rig.Checkpoint();
        rig.Commit(30, 9_000);
        rig.Checkpoint();
        rig.Close();
    }

    private static void OutgrowChunks(SiteRig rig)
    {
        for (int i = 0; i < 3; i++)
        {
            rig.Commit(8, 30_000);
            rig.Checkpoint();
        }

        rig.Commit(40, 30_000);
        rig.Checkpoint();
        rig.Commit(1);
        rig.Checkpoint();

        rig.Close();
    }

    private static void LeaveHole(SiteRig rig)
    {
        rig.Open();
        rig.Commit(40, 9_000);
        rig.Commit(600);
        rig.Checkpoint();
        rig.Rewrite(60);
    }

    private static void PunchHole(SiteRig rig)
    {
        for (int i = 0; i < 3; i++)
        {
            rig.Checkpoint();
            rig.Commit(1);
        }

        rig.Close();
    }

    private static void Spill(SiteRig rig)
    {
        rig.Commit(900, 1_500);
        rig.Checkpoint();
        rig.Commit();
        rig.Close();
    }

    private static void SpillIntoLittleRoom(SiteRig rig)
    {
        rig.Disk.Faults.Add(new SimFault { Calls = SimCallKind.Allocate, Path = "/db/voron.spill", Error = IoErrorKind.DiskFull });
        Spill(rig);
    }

    private static void FailToMakeChunks(SiteRig rig)
    {
        rig.Disk.Faults.Add(new SimFault
        {
            Calls = SimCallKind.Allocate, Path = "/db/journal/*", Error = IoErrorKind.DiskFull, Times = 2,
        });
        Fill(rig);
    }

    private static void FailToNameChunks(SiteRig rig)
    {
        rig.Disk.Faults.Add(new SimFault { Calls = SimCallKind.Rename, Path = "/db/journal/*", Times = 2 });
        Fill(rig);
    }

    private static void Fill(SiteRig rig)
    {
        for (int i = 0; i < 8; i++)
        {
            rig.Commit(1, 40_000);
        }

        rig.Checkpoint();
        rig.Close();
    }

    /// <summary>The engine's own threads prepare chunks and memory; which of them meets the fault is left to chance.</summary>
    private static void LiveWithThreads(SiteRig rig)
    {
        rig.Open(background: true);
        for (int i = 0; i < 12; i++)
        {
            rig.Commit(600);
            rig.Commit(2, 20_000);
            Thread.Sleep(2);
        }

        rig.Checkpoint();
        rig.Close();
    }
}

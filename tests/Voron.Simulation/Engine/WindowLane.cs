using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using Voron.Simulation.Crashes;
using Voron.Storage;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Versions;

namespace Voron.Simulation.Engine;

/// <summary>
/// A power cut while a checkpoint writes over the pages of the one before, and one block damaged besides: of the image set, of the header
/// slots or of the commit journal. What is there twice survives; of everything else the content is right or the damage is reported.
/// </summary>
internal sealed class WindowLane
{
    private const int MostMoments = 4;
    private const byte Mask = 0x10;
    private const int PageBytes = EngineSubject.PageBytes;

    private readonly CrashStatistics _statistics = new();
    private CrashOrigin _origin = null!;
    private SimRandom _random = null!;
    private string _expected = string.Empty;

    private delegate void Harm(SimDisk disk, SetPlace set);

    /// <summary>What is damaged, and whether the database must survive it.</summary>
    private static (string What, bool IsSurvived, Harm Harm)[] Harms(SimRandom random) =>
    [
        ("nothing", true, static (_, _) => { }),
        ("the head", true, (disk, set) => disk.Damage(set.Path, set.Offset + random.Below(ImageSetHead.SizeBytes), Mask)),
        ("the copy of the head", true,
            (disk, set) => disk.Damage(
                set.Path, set.Offset + FormatConstants.BlockBytes + random.Below(ImageSetHead.SizeBytes), Mask)),
        ("head and copy", false, (disk, set) =>
        {
            disk.Damage(set.Path, set.Offset + random.Below(ImageSetHead.SizeBytes), Mask);
            disk.Damage(set.Path, set.Offset + FormatConstants.BlockBytes + random.Below(ImageSetHead.SizeBytes), Mask);
        }),
        ("the header of the chunk", false, (disk, set) => disk.Damage(set.Path, random.Below(ChunkHeader.SizeBytes), Mask)),
        ("the table", false, (disk, set) => set.DamageTable(disk, random)),
        ("an image", false, (disk, set) => set.DamageImage(disk, random)),
        ("slot 0", true, (disk, _) => disk.Damage(EngineSubject.DataFile, random.Below(HeaderSlot.SizeBytes), Mask)),
        ("slot 1", true, (disk, _) => disk.Damage(EngineSubject.DataFile, PageBytes + random.Below(HeaderSlot.SizeBytes), Mask)),
        ("the record of N", false, (disk, set) => set.DamageMark(disk, random)),
    ];

    internal static CrashStatistics Run(long states, WorkloadOptions sizes)
    {
        var lane = new WindowLane();
        foreach (ulong seed in SimSeed.List(1_000_000))
        {
            lane.RunSeed(seed, sizes);
            if (lane._statistics.Tried >= states)
            {
                break;
            }
        }

        return lane._statistics;
    }

    private void RunSeed(ulong seed, WorkloadOptions sizes)
    {
        // Pages that were freed betray a lost checkpoint by the space map; without them only the pages themselves can.
        WorkloadLetter[] letters = [WorkloadLetter.PutOverflow, WorkloadLetter.Delete, WorkloadLetter.PutOverflow];
        Workload workload = Workload.Of(seed, seed % 2 == 0 ? letters : [], sizes);
        _statistics.Workloads++;
        _origin = new CrashOrigin(workload, seed, "Voron.Simulation.Engine.EngineCrashTests", string.Empty);
        _random = new SimRandom(SimRandom.Mix(seed, 8));
        var disk = new SimDisk(seed);
        ICrashSession session = new EngineSubject().Open(disk);
        session.Commit(NewRows(600));
        session.Checkpoint();
        if (seed % 3 == 0)
        {
            session.OpenReader(0);
        }

        session.Commit(NewRows(300));
        foreach (WorkloadStep step in workload.Steps)
        {
            session.Commit(step.Transactions[0]);
        }

        session.Commit(NewRows(300));
        _expected = ContentOf(session);
        List<SimSnapshot> window = [];
        long before = SetPlace.FindNewest(disk)?.Head.Checkpoint ?? 0;
        SetPlace? set = null;
        disk.OnCall = (call, phase) =>
        {
            bool isSync = call.Kind == SimCallKind.SyncData && phase == SimPhase.After;
            set ??= isSync && SetPlace.FindNewest(disk) is { } found && found.Head.Checkpoint > before ? found : null;
            bool isInPlace = call.Path == EngineSubject.DataFile && (call.Kind & SimCallKind.Changing) != 0 && phase != SimPhase.Before;
            if (set is not null && isInPlace)
            {
                window.Add(disk.Capture());
            }
        };
        session.Checkpoint();
        disk.OnCall = null;
        disk.PowerOff();
        session.Abandon();
        for (int i = 0; set is not null && i < MostMoments; i++)
        {
            Try(window[_random.Below(window.Count)], set);
        }
    }

    private void Try(SimSnapshot moment, SetPlace set)
    {
        // Pages of both checkpoints side by side are what the damage must not let pass.
        CutChoice choice = _random.OneIn(6) ? CutChoice.None
            : _random.OneIn(6) ? CutChoice.All
            : CutChoice.Random(_random.Next(), FormatConstants.BlockBytes);
        foreach ((string what, bool isSurvived, Harm harm) in Harms(_random))
        {
            SimDisk left = moment.Cut(choice);
            harm(left, set);
            _statistics.Tried++;
            OpenDamaged(left, isSurvived, $"cut {choice} in the checkpoint, {what} damaged");
        }
    }

    private void OpenDamaged(SimDisk disk, bool isSurvived, string where)
    {
        ICrashSession? session = null;
        _statistics.Opens++;
        try
        {
            session = new EngineSubject().Open(disk);
            RequireContent(session, _expected, where);
            if (FindsNothing(session) || isSurvived)
            {
                GoOn(session, where);
            }
        }
        catch (Exception error) when (error is StorageCorruptException or CorruptJournalException && !isSurvived)
        {
            _statistics.Damaged++;
        }
        catch (Exception error) when (error is StorageException or InvalidDataException)
        {
            throw _origin.Failure(isSurvived ? "O1" : "O3", "the damage is not survived, or not told as what it is", where, error);
        }
        finally
        {
            disk.PowerOff();
            session?.Abandon();
        }
    }

    /// <summary>What was recovered is a base for another checkpoint.</summary>
    private void GoOn(ICrashSession session, string where)
    {
        session.Commit(new WorkloadTransaction([new WorkloadChange("1 more"u8.ToArray(), "after the damage"u8.ToArray())]));
        string expected = ContentOf(session);
        session.Checkpoint();
        session.Check();
        RequireContent(session, expected, where + ", and another checkpoint");
    }

    private void RequireContent(ICrashSession session, string expected, string where)
    {
        string found;
        try
        {
            found = ContentOf(session);
        }
        catch (InvalidDataException error)
        {
            throw _origin.Failure("O3", "rows that never were together were read", where, error);
        }

        if (found != expected)
        {
            throw _origin.Failure("O3", "wrong rows were read", where);
        }
    }

    /// <summary>A check may find pages damaged that no row needs.</summary>
    private static bool FindsNothing(ICrashSession session)
    {
        try
        {
            session.Check();
            return true;
        }
        catch (InvalidDataException)
        {
            return false;
        }
    }

    /// <summary>Small rows, so that leaves are split of which most rows stay as they were: replay does not bring those back.</summary>
    private WorkloadTransaction NewRows(int count)
    {
        List<WorkloadChange> changes = [];
        for (int i = 0; i < count; i++)
        {
            byte[] value = new byte[_random.Between(10, 300)];
            _random.Fill(value);
            string key = _random.Below(2000).ToString("D5", CultureInfo.InvariantCulture);
            changes.Add(new WorkloadChange(Encoding.ASCII.GetBytes(key), value));
        }

        return new WorkloadTransaction(changes);
    }

    private static string ContentOf(ICrashSession session)
    {
        var rows = new StringBuilder();
        session.VisitContent((key, value) =>
            rows.Append(Convert.ToHexString(key)).Append('=').Append(Convert.ToHexString(value)).Append(';'));
        return rows.ToString();
    }

    /// <summary>Where an image set stands in the page journal.</summary>
    private sealed record SetPlace(string Path, long Offset, ImageSetHead Head)
    {
        /// <summary>The head with the highest number in the page chunks; null when there is none.</summary>
        internal static SetPlace? FindNewest(SimDisk disk)
        {
            SetPlace? newest = null;
            foreach (string path in disk.Paths().Where(static path => path.EndsWith(".pages", StringComparison.Ordinal)))
            {
                byte[] chunk = disk.Peek(path)!;
                for (int at = FormatConstants.ChunkBodyOffset; at < chunk.Length; at += FormatConstants.BlockBytes)
                {
                    ImageSetHead head = MemoryMarshal.Read<ImageSetHead>(chunk.AsSpan(at));
                    bool isHead = head.Magic == FormatConstants.ImageSetMagic && head.Offset == at;
                    if (isHead && head.Checkpoint > (newest?.Head.Checkpoint ?? 0))
                    {
                        newest = new SetPlace(path, at, head);
                    }
                }
            }

            return newest;
        }

        internal void DamageTable(SimDisk disk, SimRandom random)
        {
            long bytes = (Head.ImageCount + Head.DeferredCount) * ImageEntry.SizeBytes;
            if (bytes > 0)
            {
                disk.Damage(Chunk(Head.TableSequence, ".pages"), Head.TableOffset + random.Below((int)bytes), Mask);
            }
        }

        internal void DamageImage(SimDisk disk, SimRandom random)
        {
            long count = Head.ImageCount + Head.DeferredCount;
            if (count > 0)
            {
                byte[] chunk = disk.Peek(Chunk(Head.TableSequence, ".pages"))!;
                int at = (int)Head.TableOffset + (random.Below((int)count) * ImageEntry.SizeBytes);
                ImageEntry entry = MemoryMarshal.Read<ImageEntry>(chunk.AsSpan(at));
                if (!entry.IsRemoved)
                {
                    disk.Damage(Chunk(entry.Sequence, ".pages"), entry.Offset + random.Below(PageBytes), Mask);
                }
            }
        }

        internal void DamageMark(SimDisk disk, SimRandom random)
        {
            if (disk.Peek(Chunk(Head.CommitSequence, ".commit")) is not null)
            {
                disk.Damage(Chunk(Head.CommitSequence, ".commit"), Head.CommitOffset + random.Below(RecordHeader.SizeBytes), Mask);
            }
        }

        private static string Chunk(long sequence, string suffix) =>
            $"{EngineSubject.Directory}/journal/{sequence.ToString("D16", CultureInfo.InvariantCulture)}{suffix}";
    }
}

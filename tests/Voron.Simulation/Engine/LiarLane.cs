using Voron.Simulation.Crashes;
using Voron.Storage;

namespace Voron.Simulation.Engine;

/// <summary>
/// Devices that break the contract of the disk seam: a write-through that is none, a sync that does nothing. What they lose cannot be
/// recovered; but no state of theirs may end in anything else than a database that opens, or a failure that says that it is damaged.
/// </summary>
internal static class LiarLane
{
    private const int CutsOfEachPoint = 3;
    private const int PointOneIn = 4;
    private static readonly SimProfile[] Profiles = [SimProfile.MacLike, SimProfile.Liar];

    internal static CrashStatistics Run(long states, WorkloadOptions sizes) => new CrashSeries(sum => sum.Tried >= states).Run(
        SimSeed.List(1_000_000).Select<ulong, Func<CrashStatistics>>(seed => () => RunWorkload(Workload.Generate(seed, sizes))));

    internal static CrashStatistics RunWorkload(Workload workload)
    {
        var statistics = new CrashStatistics { Workloads = 1 };
        SimProfile profile = Profiles[workload.Seed % 2];
        var origin = new CrashOrigin(workload, workload.Seed, "Voron.Simulation.Engine.EngineCrashTests", $"on a disk {profile}");
        var model = new Model();
        var disk = new SimDisk(workload.Seed, new SimDiskOptions { Profile = profile });
        List<CrashPoint> points = new CrashRun(new EngineSubject(), disk, workload, model, origin).Play();
        for (int i = 0; i < points.Count; i++)
        {
            ulong seed = SimRandom.Mix(workload.Seed, (ulong)i);
            for (int cut = 0; seed % PointOneIn == 0 && cut < CutsOfEachPoint; cut++)
            {
                ulong random = SimRandom.Mix(seed, (ulong)cut);
                CutChoice choice = (cut % 3) switch
                {
                    0 => CutChoice.Random(random),
                    1 => new CutChoice(CutFamily.Weighted, random),
                    _ => CutChoice.Groups(random),
                };
                Open(points[i], choice, model, origin, statistics);
            }
        }

        return statistics;
    }

    private static void Open(CrashPoint point, CutChoice choice, Model model, CrashOrigin origin, CrashStatistics statistics)
    {
        statistics.Tried++;
        statistics.Opens++;
        SimDisk disk = point.Snapshot.Cut(choice);
        ICrashSession? session = null;
        try
        {
            session = new EngineSubject().Open(disk);
            long recovered = session.LastTransactionId;
            statistics.RecoveredEarlier += recovered < point.Bounds.Most ? 1 : 0;
            bool isRight = CrashRun.Difference(model.At(recovered), session.VisitContent) is null;
            session.Check();
            statistics.Deceived += isRight ? 0 : 1;
        }
        catch (Exception error) when (error is StorageException or InvalidDataException)
        {
            statistics.Damaged++;
        }
        catch (Exception error)
        {
            throw origin.Failure("O1", "the failure does not say what is damaged", origin.Describe(point) + $", cut {choice}", error);
        }

        disk.PowerOff();
        session?.Abandon();
        if (disk.OpenFileCount != 0)
        {
            throw origin.Failure("O9", $"{disk.OpenFileCount} files are open", origin.Describe(point) + $", cut {choice}");
        }
    }
}

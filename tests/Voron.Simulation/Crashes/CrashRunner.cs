namespace Voron.Simulation.Crashes;

/// <summary>
/// Runs workloads on simulated disks, crashes them everywhere and throws a <see cref="CrashFailureException"/> at the first broken
/// promise.
/// </summary>
internal sealed class CrashRunner(ICrashSubject subject, CrashOptions options)
{
    internal CrashStatistics Statistics { get; } = new();

    /// <summary>
    /// Gives the trace of the run itself, without the crashes. The run is made twice: equal seeds must give equal traces (O10).
    /// </summary>
    internal Hash128 Run(Workload workload)
    {
        Statistics.Workloads++;
        var disk = new SimDisk(workload.Seed, options.Disk);
        var origin = new CrashOrigin(workload, workload.Seed, options.Test, string.Empty);
        Run(disk, workload, new Model(), options, origin);
        Statistics.DiskCalls += disk.CallCount;
        var twin = new SimDisk(workload.Seed, options.Disk);
        new CrashRun(subject, twin, workload, new Model(), origin).Play();
        return twin.TraceHash == disk.TraceHash
            ? disk.TraceHash
            : throw origin.Failure("O10", "two runs of the same seed made different disk calls", string.Empty);
    }

    private void Run(SimDisk disk, Workload workload, Model model, CrashOptions runOptions, CrashOrigin origin)
    {
        List<CrashPoint> points = new CrashRun(subject, disk, workload, model, origin).Play();
        new CrashVerifier(subject, runOptions, Statistics, origin, model, GoOn).Verify(points);

        void GoOn(SimDisk left, Model since, CrashOptions nested, string before)
        {
            Statistics.WentOn++;
            Workload next = Workload.Generate(SimRandom.Mix(workload.Seed, (ulong)Statistics.WentOn), nested.GoOnWorkload);
            Run(left, next, since, nested, origin with { Workload = next, Before = before });
        }
    }
}

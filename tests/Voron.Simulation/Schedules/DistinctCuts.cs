using Voron.Simulation.Crashes;

namespace Voron.Simulation.Schedules;

/// <summary>
/// Cuts at every moment that leaves a disk, or promises, unlike those of all moments of all schedules before. What a schedule shares with
/// the one that it was made of was looked at there.
/// </summary>
/// <param name="disk">The disk of the run.</param>
/// <param name="bounds">What is promised now.</param>
/// <param name="seen">All disks so far; schedules that run beside each other share it.</param>
/// <param name="isShared">Whether the run still repeats the schedule that it was made of.</param>
/// <param name="history">Follows from the transactions that were begun.</param>
internal sealed class DistinctCuts(
    SimDisk disk, Func<CrashBounds> bounds, HashSet<Hash128> seen, Func<bool> isShared, Func<Hash128> history)
    : ScheduleCuts(disk, bounds)
{
    protected override void Look()
    {
        if (isShared() || !HasChanged())
        {
            return;
        }

        SimSnapshot snapshot = Capture();
        CrashBounds now = Bounds;
        if (IsNew(snapshot, now, out Hash128 state))
        {
            Copies.Add((new ScheduleCut(Moment, state.Low % 10_000), snapshot, now));
        }
    }

    internal override int JudgeEnd(Model model, long least) =>
        IsNew(Capture(), Bounds with { LeastAfterCut = least, LeastAfterKill = -1 }, out _) ? base.JudgeEnd(model, least) : 0;

    private bool IsNew(SimSnapshot snapshot, CrashBounds now, out Hash128 state)
    {
        state = snapshot.KillHash().Then((ulong)now.LeastAfterCut).Then((ulong)now.LeastAfterKill).Then((ulong)now.Most)
            .Then((ulong)snapshot.Atoms.Length).Then(history());
        lock (seen)
        {
            return seen.Add(state);
        }
    }
}

using Voron.Simulation.Crashes;
using Voron.Simulation.Engine;

namespace Voron.Simulation.Schedules;

/// <summary>
/// A database that schedules begin with, made once and then copied: empty, with all rows in the data file, or with some of them
/// only in the journal.
/// </summary>
internal sealed class ScheduleBase
{
    internal const int Count = 3;

    private static readonly Lazy<ScheduleBase>[] All =
        [.. Enumerable.Range(0, Count).Select(static number => new Lazy<ScheduleBase>(() => new(number)))];

    private readonly SimSnapshot _snapshot;
    private readonly Model _model = new();

    private ScheduleBase(int number)
    {
        SimDisk disk = new((ulong)number + 1);
        ICrashSession session = new EngineSubject().Open(disk);
        for (int i = 0; i < 6 * number; i++)
        {
            Commit(session, i);
            if (i == 8)
            {
                session.Checkpoint();
            }
        }

        if (number == 1)
        {
            session.Close();
            _snapshot = disk.Capture();
            return;
        }

        _snapshot = disk.Capture();
        disk.PowerOff();
        session.Abandon();
    }

    /// <summary>A copy of the disk and of the history.</summary>
    internal static (SimDisk Disk, Model Model) Copy(int number)
    {
        ScheduleBase made = All[number].Value;
        return (made._snapshot.Kill(), made._model.From(made._model.LastTransaction));
    }

    private void Commit(ICrashSession session, int number)
    {
        WorkloadChange[] changes = [.. Enumerable.Range(0, 3).Select(i => ScheduleRows.Change(
            new SchedulePut(((5 * number) + (7 * i)) % ScheduleProgram.Keys, 40 + (97 * ((number + i) % 5)), number)))];
        var transaction = new WorkloadTransaction(changes);
        _model.Start(transaction);
        session.Commit(transaction);
    }
}

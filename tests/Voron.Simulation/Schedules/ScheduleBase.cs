using Voron.Simulation.Crashes;
using Voron.Simulation.Engine;

namespace Voron.Simulation.Schedules;

/// <summary>
/// A database that schedules begin with, made once and then copied: empty, with all rows in the data file, or with some of them
/// only in the journal; and, for programs that ask for it, with more in the journal than the data file has room for.
/// </summary>
internal sealed class ScheduleBase
{
    /// <summary>Those that programs made by chance begin with.</summary>
    internal const int Count = 3;

    /// <summary>Added to the number of a database: it is opened with pending trees.</summary>
    internal const int WithPending = 10;

    private const int LongJournal = 3;
    private const int LongBytes = 80_000;

    private static readonly Lazy<ScheduleBase>[] All =
        [.. Enumerable.Range(0, LongJournal + 1).Select(static number => new Lazy<ScheduleBase>(() => new(number)))];

    private readonly SimSnapshot _snapshot;
    private readonly Model _model = new();

    private ScheduleBase(int number)
    {
        SimDisk disk = new((ulong)number + 1);
        ICrashSession session = new EngineSubject(placedValueBytes: LongBytes + 1).Open(disk);
        for (int i = 0; i < 6 * number; i++)
        {
            Commit(session, Small(i));
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

        if (number == LongJournal)
        {
            Commit(session, [new SchedulePut(1, LongBytes, 1), new SchedulePut(2, LongBytes, 2)]);
        }

        _snapshot = disk.Capture();
        disk.PowerOff();
        session.Abandon();
    }

    /// <summary>A copy of the disk and of the history.</summary>
    internal static (SimDisk Disk, Model Model) Copy(int number)
    {
        ScheduleBase made = All[number % WithPending].Value;
        return (made._snapshot.Kill(), made._model.From(made._model.LastTransaction));
    }

    private static IEnumerable<SchedulePut> Small(int number) => Enumerable.Range(0, 3).Select(
        i => new SchedulePut(((5 * number) + (7 * i)) % ScheduleProgram.Keys, 40 + (97 * ((number + i) % 5)), number));

    private void Commit(ICrashSession session, IEnumerable<SchedulePut> puts)
    {
        var transaction = new WorkloadTransaction([.. puts.Select(ScheduleRows.Change)]);
        _model.Start(transaction);
        session.Commit(transaction);
    }
}

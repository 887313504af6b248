using Voron.Simulation.Crashes;
using Voron.Storage;

namespace Voron.Simulation.Engine;

/// <content>What an environment, and the next one, must be able to do after a failure.</content>
internal sealed partial class FaultLane
{
    /// <summary>
    /// A whole second life. The disk is well again, so the environment either works, checkpoints and its close included, or refuses every
    /// change until it is reopened, and closes in peace. What the process leaves is opened, worked with, closed and opened once more.
    /// </summary>
    private void LiveOn(SimDisk killed)
    {
        (CrashBounds bounds, Model model) = (_bounds, _model);
        _disk.Faults.Clear();
        _disk.EvictLost();
        if (_session is { } session)
        {
            bool isPoisoned = false;
            Require(() => isPoisoned = !TryCheckpoint(session), "a checkpoint after the failure fails although the disk is well");
            if (!isPoisoned)
            {
                // Then no outcome is unknown: what failed was refused as a whole.
                long last = session.LastTransactionId;
                RequireBounds(last, _bounds.LeastAfterKill, "in an environment that goes on after the failure");
                _model = _model.From(last);
                _bounds = new CrashBounds(last, last, last);
                if (!Works(session, "after the failure"))
                {
                    throw Failure("O6", "the environment stops some commits after the failure");
                }
            }

            Require(Close, "the environment does not close after the failure");
            OpenAndWork(_disk, "the same disk, opened again");
        }

        (_bounds, _model) = (bounds, model);
        OpenAndWork(killed, "the disk after a kill, opened again");
        (_bounds, _model) = (bounds, model);
    }

    private void OpenAndWork(SimDisk disk, string where)
    {
        ICrashSession? session = null;
        Require(() => session = _subject.Open(disk), $"{where}: it does not open");
        long recovered = session!.LastTransactionId;
        RequireBounds(recovered, _bounds.LeastAfterKill, where);
        _model = _model.From(recovered);
        _bounds = new CrashBounds(recovered, recovered, recovered);
        if (!Works(session, where))
        {
            throw Failure("O6", $"{where}: it refuses changes although the disk is well");
        }

        RequireSound(session, where);
        Require(session.Close, $"{where}: it does not close");
        Require(() => session = _subject.Open(disk), $"{where}: it does not open after its close");
        RequireContent(session.LastTransactionId, session.VisitContent, where);
        disk.PowerOff();
        session.Abandon();
    }

    /// <summary>Commits and checkpoints, a reader between them; false when the environment must be reopened first.</summary>
    private bool Works(ICrashSession session, string where)
    {
        bool works = true;
        for (int round = 0; works && round < 3; round++)
        {
            WorkloadChange change = OneMore with { Value = [(byte)round] };
            Require(() => Commit(session, [new WorkloadTransaction([change])]), $"{where}: a commit fails although the disk is well");
            Require(() => works = TryCheckpoint(session), $"{where}: a checkpoint fails although the disk is well");
            RequireContent(session.LastTransactionId, session.VisitContent, where);
        }

        return works;
    }

    private static bool TryCheckpoint(ICrashSession session)
    {
        try
        {
            session.Checkpoint();
            return true;
        }
        catch (StoragePoisonedException)
        {
            return false;
        }
    }

    private void Require(Action action, string otherwise)
    {
        try
        {
            action();
        }
        catch (Exception error) when (error is not CrashFailureException)
        {
            throw Failure("O6", otherwise, error);
        }
    }
}

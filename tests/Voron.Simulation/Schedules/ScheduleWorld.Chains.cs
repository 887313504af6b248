using Voron.Storage;
using Voron.Storage.Threads;

namespace Voron.Simulation.Schedules;

/// <content>What programs do that explore the chains of page versions.</content>
internal sealed partial class ScheduleWorld
{
    /// <summary>
    /// What was only noted so far is made in the trees, so that there is something to move or to undo, and others may run.
    /// </summary>
    private void PassBeforeEnd(WriteTransaction write, bool moves)
    {
        if (!program.ExploresChains)
        {
            return;
        }

        ScheduleTrees.Make(write);
        scheduler.Pass(SchedulingPoint.Caller);
        if (moves)
        {
            _environment!.Checkpoint();
        }
    }

    private static ScheduleVerb Unmoved(ScheduleVerb verb) => verb switch
    {
        ScheduleVerb.UndoMoved => ScheduleVerb.Undo,
        ScheduleVerb.RollbackMoved => ScheduleVerb.Rollback,
        ScheduleVerb.AsyncMoved => ScheduleVerb.Async,
        _ => verb,
    };

    /// <summary>A write begins by freeing what no reader sees.</summary>
    private void RequireNothingRetained()
    {
        const int Tries = 8;
        long retained = long.MaxValue;
        _environment!.Flush();
        for (int i = 0; i < Tries && retained > 0; i++)
        {
            _environment.BeginWrite().Dispose();
            retained = _environment.GetReport().RetainedVersions;
        }

        Require(retained == 0, "O9", $"{retained} versions are kept for no reader");
    }
}

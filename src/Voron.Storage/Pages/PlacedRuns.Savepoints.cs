using Voron.Storage.Format;

namespace Voron.Storage.Pages;

/// <content>
/// Savepoints: logs the runs placed and freed since the first savepoint, so that rolling back undoes them, last first. The space map
/// frees the pages by itself; the bytes in the data file are then unreferenced.
/// </content>
internal sealed partial class PlacedRuns
{
    private readonly List<Step> _steps = [];

    /// <summary>Number of steps before each savepoint.</summary>
    private readonly SavepointStack<int> _savepoints = new();

    internal void CreateSavepoint() => _savepoints.Create(_steps.Count);

    /// <summary>Undoes all steps since a savepoint. The savepoint remains valid; later ones are released.</summary>
    internal void RollbackTo(int depth)
    {
        int kept = _savepoints[depth];
        for (int i = _steps.Count - 1; i >= kept; i--)
        {
            Undo(_steps[i]);
        }

        _steps.RemoveRange(kept, _steps.Count - kept);
        _savepoints.RollbackTo(depth);
    }

    internal void Release(int depth)
    {
        _savepoints.Release(depth);
        if (_savepoints.Count == 0)
        {
            _steps.Clear();
        }
    }

    private void ForgetSavepoints()
    {
        _savepoints.Clear();
        _steps.Clear();
    }

    private void NotePlaced(PageNumber first) => Note(new Step(first, IsPlaced: true));

    private void Note(in Step step)
    {
        if (_savepoints.Count > 0)
        {
            _steps.Add(step);
        }
    }

    /// <summary>Undoes a step. The open transaction's ends and freed runs are last in their lists, in the order of the steps.</summary>
    private void Undo(in Step step)
    {
        if (step.IsPlaced)
        {
            _runs.Remove(step.First);
            _replayed.Remove(step.First);
            PlacedEnd end = _ends.RemoveLast();
            if (KeepsUndone)
            {
                _undone.Add(end.Transaction, end.End - end.Count, end.Count);
            }

            return;
        }

        if (step.WasRun)
        {
            _runs.Add(step.First);
        }

        if (step.Replayed is { } run)
        {
            _replayed.Add(step.First, run);
        }

        if (step.HasFreed)
        {
            _freed.RemoveLast();
            Kept.Restore(step.First);
        }
    }

    /// <param name="First">First page of the run.</param>
    /// <param name="IsPlaced">True: the run was placed; false: it was freed.</param>
    /// <param name="WasRun">The freed run was one of the open transaction's own.</param>
    /// <param name="Replayed">The freed run's entry among those that replay verifies at its end, if any.</param>
    /// <param name="HasFreed">The run was added to the freed runs.</param>
    private readonly record struct Step(
        PageNumber First, bool IsPlaced, bool WasRun = false, PlacedRun? Replayed = null, bool HasFreed = false);
}

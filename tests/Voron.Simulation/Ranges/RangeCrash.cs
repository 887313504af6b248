namespace Voron.Simulation.Ranges;

/// <summary>
/// Power cuts, and the page cache. A cut keeps any of the places that are not synced, whole, torn or not at all; any first part of the
/// records that are not durable; an image set in flight, or not. What a kill leaves is one of these. A slot in flight makes no difference:
/// recovery finds the newest complete image set from either slot.
/// </summary>
internal static class RangeCrash
{
    internal static bool Cut(RangeStep step)
    {
        RangeWorld world = step.World;
        if (world.Cuts >= step.Bounds.Cuts)
        {
            return false;
        }

        world.Cuts++;
        step.Story?.Append("POWER CUT:");
        int last = world.Durable + step.Choice.Next(world.Committed - world.Durable + 1);
        CutPlaces(step);
        CutSet(step);
        RangeRecovery.Find(step, last);
        return true;
    }

    /// <summary>A page whose write a failed sync has dropped leaves the cache, which shows what the device has from then on.</summary>
    internal static bool Evict(RangeStep step)
    {
        RangeWorld world = step.World;
        int place = step.Choice.Next(RangeWorld.Places);
        if ((world.Lost >> place & 1) == 0)
        {
            return false;
        }

        world.Lost &= (byte)~(1 << place);
        world.Cache(place) = world.Device(place);
        step.Story?.Append($"place {place} leaves the page cache and shows what the device has");
        return true;
    }

    private static void CutPlaces(RangeStep step)
    {
        RangeWorld world = step.World;
        for (int place = 0; place < RangeWorld.Places; place++)
        {
            bool isDirty = (world.Dirty >> place & 1) != 0;
            if (isDirty && world.Cache(place) != world.Device(place))
            {
                bool isTorn = step.Choice.Chance();
                bool isNew = !isTorn && step.Choice.Chance();
                world.Device(place) = isTorn ? RangeWorld.Torn : isNew ? world.Cache(place) : world.Device(place);
                step.Story?.Append($" place {place} is {(isTorn ? "torn" : isNew ? "new" : "old")},");
            }

            world.Cache(place) = world.Device(place);
        }

        world.Dirty = world.Lost = 0;
    }

    private static void CutSet(RangeStep step)
    {
        RangeWorld world = step.World;
        int number = world.Base + 1;
        if (world.CheckpointPhase != RangeCheckpoint.SetInFlight)
        {
            return;
        }

        bool isComplete = step.Choice.Chance();
        step.Story?.Append($" image set {number} is {(isComplete ? "complete" : "incomplete")},");
        if (!isComplete)
        {
            RangeCheckpoint.Clear(world, number);
            return;
        }

        world.SetState(number) = RangeCheckpoint.Complete;
        for (int range = 0; range < RangeWorld.Ranges && step.Breaks(RangeRule.HeadBeforeRun); range++)
        {
            world.SetEntry(number, range) = world.SetEntry(number, range) == RangeWorld.None ? RangeWorld.None : RangeWorld.Torn;
        }
    }
}

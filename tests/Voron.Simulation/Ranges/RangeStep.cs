using System.Text;

namespace Voron.Simulation.Ranges;

/// <summary>One step of the model: what it changes, what decides, and which rule it breaks.</summary>
internal sealed class RangeStep(RangeWorld world, StepChoice choice, RangeBounds bounds, RangeRule broken, StringBuilder? story)
{
    internal RangeWorld World => world;

    internal StepChoice Choice => choice;

    internal RangeBounds Bounds => bounds;

    /// <summary>What happens, in words; null while the search only looks for violations.</summary>
    internal StringBuilder? Story => story;

    /// <summary>What the step has shown to be wrong; null if nothing.</summary>
    internal string? Violation { get; private set; }

    internal bool Breaks(RangeRule rule) => rule == broken;

    internal void Violate(string what) => Violation ??= what;

    /// <summary>Lets a fault happen, if one is left.</summary>
    internal bool Fails()
    {
        if (world.Faults >= bounds.Faults || !choice.Chance())
        {
            return false;
        }

        world.Faults++;
        return true;
    }

    /// <summary>Syncs the data file. Returns false when the sync failed.</summary>
    internal bool SyncData()
    {
        if (Fails())
        {
            story?.Append(": the sync FAILS");
            world.Lost |= world.Dirty;
            world.Dirty = 0;
            return false;
        }

        for (int place = 0; place < RangeWorld.Places; place++)
        {
            if ((world.Dirty >> place & 1) != 0)
            {
                world.Device(place) = world.Cache(place);
            }
        }

        world.Dirty = 0;
        return true;
    }

    /// <summary>Writes leaves to the page cache.</summary>
    internal void Write(int place, byte content)
    {
        world.Cache(place) = content;
        world.Dirty |= (byte)(1 << place);
        world.Lost &= (byte)~(1 << place);
    }
}

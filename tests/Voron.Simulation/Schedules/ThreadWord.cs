using Voron.Native;

namespace Voron.Simulation.Schedules;

/// <summary>A number that real threads wait on: what a scheduler itself waits with. The engine's own words ask the scheduler.</summary>
internal sealed class ThreadWord
{
    private readonly int[] _word = GC.AllocateArray<int>(1, pinned: true);

    internal int Value => Volatile.Read(ref _word[0]);

    internal void Set(int value)
    {
        Volatile.Write(ref _word[0], value);
        WordWait.WakeAll(ref _word[0]);
    }

    /// <summary>Waits until the value is another one than the expected; false if the time ends first.</summary>
    internal bool WaitWhile(int expected, TimeSpan patience)
    {
        while (Value == expected)
        {
            if (!WordWait.Wait(ref _word[0], expected, patience) && Value == expected)
            {
                return false;
            }
        }

        return true;
    }

    internal void WaitWhile(int expected) => WaitWhile(expected, Timeout.InfiniteTimeSpan);
}

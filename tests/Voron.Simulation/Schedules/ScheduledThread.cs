using Voron.Storage;
using Voron.Storage.Threads;

namespace Voron.Simulation.Schedules;

/// <summary>One thread of a schedule and what it waits for. Its fields are changed only by the thread whose turn it is.</summary>
internal sealed class ScheduledThread(int number, string name)
{
    private readonly ThreadWord _turn = new();

    internal int Number { get; } = number;

    internal string Name { get; } = name;

    internal SchedulingPoint Point { get; set; }

    /// <summary>What it sleeps on; null while it can run.</summary>
    internal object? SleepsOn { get; set; }

    /// <summary>Its sleep ends by itself when nobody else can run.</summary>
    internal bool HasTimeout { get; set; }

    internal bool TimedOut { get; set; }

    /// <summary>How often the sleep of another one ended instead.</summary>
    internal int PassedOver { get; set; }

    internal bool HasEnded { get; set; }

    internal void GiveTurn()
    {
        _turn.Set(1);
    }

    internal void AwaitTurn()
    {
        _turn.WaitWhile(0);
        _turn.Set(0);
    }

    public override string ToString() => HasEnded ? $"{Name}: ended"
        : SleepsOn is { } on ? $"{Name}: sleeps at {Point} on {on.GetType().Name}{(HasTimeout ? " for a time" : string.Empty)}"
        : $"{Name}: can run, at {Point}";
}

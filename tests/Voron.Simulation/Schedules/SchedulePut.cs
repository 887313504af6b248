namespace Voron.Simulation.Schedules;

/// <summary>One put of a value that follows from its length and a seed, or, with a negative length, a delete.</summary>
internal readonly record struct SchedulePut(int Key, int Bytes, int Seed)
{
    internal bool IsDelete => Bytes < 0;
}

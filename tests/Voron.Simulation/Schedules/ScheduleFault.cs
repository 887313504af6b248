using System.Globalization;

namespace Voron.Simulation.Schedules;

/// <summary>A call of the disk that fails once in a schedule, counted from the end of the open.</summary>
internal sealed record ScheduleFault(SimCallKind Calls, string Path, int From, SimFaultEffect Effect)
{
    private static readonly (SimCallKind Calls, string Path)[] Places =
    [
        (SimCallKind.Write, "*.commit"), (SimCallKind.SyncData, "*data.voron"), (SimCallKind.Write, "*data.voron"),
        (SimCallKind.Write, "*.pages"), (SimCallKind.SyncData, "*data.voron"),
    ];

    internal static ScheduleFault Generate(SimRandom random)
    {
        (SimCallKind calls, string path) = Places[random.Below(Places.Length)];
        SimFaultEffect effect = calls == SimCallKind.SyncData
            ? SimFaultEffect.LoseUnsynced
            : random.OneIn(2) ? SimFaultEffect.Half : SimFaultEffect.Nothing;
        return new ScheduleFault(calls, path, random.Between(1, 4), effect);
    }

    internal static ScheduleFault Parse(string text)
    {
        string[] words = text.Split(' ');
        return new ScheduleFault(
            Enum.Parse<SimCallKind>(words[0]),
            words[1],
            int.Parse(words[2], CultureInfo.InvariantCulture),
            Enum.Parse<SimFaultEffect>(words[3]));
    }

    public override string ToString() => $"{Calls} {Path} {From} {Effect}";

    internal SimFault ToFault() => new() { Calls = Calls, Path = Path, From = From, Effect = Effect };
}

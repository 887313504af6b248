using System.Text;

namespace Voron.Simulation.Crashes;

/// <summary>Where in which run something happened, for the message of a failure.</summary>
internal sealed record CrashOrigin(Workload Workload, ulong Seed, string Test, string Before)
{
    private const int MostAtomsListed = 40;

    internal CrashFailureException Failure(string oracle, string what, string where, Exception? inner = null)
    {
        var text = new StringBuilder();
        text.AppendLine($"{oracle}: {what}");
        text.AppendLine($"seed {Seed}, workload: {Workload}");
        if (Before.Length > 0)
        {
            text.AppendLine($"this run began {Before}");
        }

        text.AppendLine(where);
        text.Append("repeat: " + SimSeed.CommandFor(Seed, Test));
        if (inner is not null)
        {
            text.AppendLine().Append(inner);
        }

        return new CrashFailureException(text.ToString(), inner) { Oracle = oracle, Seed = Seed };
    }

    internal string Describe(CrashPoint point)
    {
        bool isStep = point.Step >= 0 && point.Step < Workload.Steps.Count;
        string step = isStep ? $"{point.Step} ({Workload.Steps[point.Step].Letter})" : "open or close";
        return $"crash point: step {step}, {point.Where}; bounds {point.Bounds}";
    }

    internal string Describe(CrashPoint point, CutChoice choice, AtomSet kept)
    {
        var text = new StringBuilder(Describe(point));
        text.AppendLine().AppendLine($"cut: {choice}").Append($"pending {kept.Count}, kept {kept.Kept}: {kept}");
        for (int i = 0; i < Math.Min(kept.Count, MostAtomsListed); i++)
        {
            text.AppendLine().Append($"  {(kept[i] ? "kept" : "lost")} {point.Snapshot.Atoms[i]}");
        }

        return text.ToString();
    }
}

using System.Globalization;
using Voron.Simulation.Schedules;

namespace Voron.Simulation.Tapes;

/// <summary>
/// All that decides one run: the program, the choices of the scheduler, the power cuts. As text, one part a line (or, for a command line,
/// parted by semicolons): <c>flush 2</c>, the kind and the base; <c>thread durable 3=200#7, read 2</c>, once for each thread; <c>choices
/// 0*17 2 0 1</c>; <c>cut 120#7</c>; <c>fault SyncData *data.voron 1 LoseUnsynced</c>. Lines that begin with # are comments.
/// <para>A tape stays a run when the engine's points change, but it may become another one: choices count points, not names.</para>
/// </summary>
internal sealed record DecisionTape(ScheduleProgram Program, IReadOnlyList<int> Choices, IReadOnlyList<ScheduleCut> Cuts)
{
    /// <summary>A tape to replay.</summary>
    internal const string Variable = "VORON_TAPE";

    private static readonly char[] Ends = ['\n', '\r', ';'];

    internal static DecisionTape Parse(string text)
    {
        string[] lines = [.. text.Split(Ends, StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)
            .Where(static line => line[0] != '#')];
        string[] head = lines[0].Split(' ');
        List<IReadOnlyList<ScheduleStep>> threads = [];
        List<int> choices = [];
        List<ScheduleCut> cuts = [];
        ScheduleFault? fault = null;
        foreach (string line in lines.Skip(1))
        {
            string word = line.Split(' ')[0];
            string rest = line[word.Length..].Trim();
            switch (word)
            {
                case "thread":
                    threads.Add([.. rest.Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)
                        .Select(ScheduleStep.Parse)]);
                    break;
                case "choices":
                    AddChoices(choices, rest);
                    break;
                case "fault":
                    fault = ScheduleFault.Parse(rest);
                    break;
                case "cut":
                    string[] parts = rest.Split('#');
                    cuts.Add(new ScheduleCut(Number(parts[0]), (ulong)Number(parts[1])));
                    break;
                default:
                    throw new FormatException($"A tape has no line that begins with '{word}'.");
            }
        }

        ScheduleKind kind = Enum.Parse<ScheduleKind>(head[0], ignoreCase: true);
        return new DecisionTape(new ScheduleProgram(kind, (int)Number(head[1]), threads, fault), choices, cuts);
    }

    public override string ToString() => ToString('\n');

    internal string ToString(char end)
    {
        List<string> lines = [$"{Program.Kind.ToString().ToLowerInvariant()} {Program.Base}"];
        lines.AddRange(Program.Threads.Select(static steps => "thread " + string.Join(", ", steps)));
        if (Program.Fault is { } fault)
        {
            lines.Add("fault " + fault);
        }

        lines.Add("choices " + string.Join(' ', ChoiceWords()));
        lines.AddRange(Cuts.Select(static cut => $"cut {cut.Moment}#{cut.Seed}"));
        return string.Join(end, lines);
    }

    private static void AddChoices(List<int> choices, string text)
    {
        foreach (string word in text.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            string[] parts = word.Split('*');
            choices.AddRange(Enumerable.Repeat((int)Number(parts[0]), parts.Length == 1 ? 1 : (int)Number(parts[1])));
        }
    }

    private static long Number(string text) => long.Parse(text, CultureInfo.InvariantCulture);

    /// <summary>Runs of equal choices in one word; zeros at the end go without saying.</summary>
    private IEnumerable<string> ChoiceWords()
    {
        int end = Choices.Count;
        while (end > 0 && Choices[end - 1] == 0)
        {
            end--;
        }

        for (int i = 0; i < end;)
        {
            int from = i;
            while (i < end && Choices[i] == Choices[from])
            {
                i++;
            }

            yield return i - from == 1 ? $"{Choices[from]}" : $"{Choices[from]}*{i - from}";
        }
    }
}

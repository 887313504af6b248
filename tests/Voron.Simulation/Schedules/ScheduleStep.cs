using System.Globalization;

namespace Voron.Simulation.Schedules;

/// <summary>One step of one thread, with its form on a tape: <c>durable 3=200#7 -5</c>, <c>read 2</c>, <c>checkpoint</c>.</summary>
internal sealed record ScheduleStep(ScheduleVerb Verb, IReadOnlyList<SchedulePut> Puts, int Times = 0)
{
    internal static ScheduleStep Parse(string text)
    {
        string[] words = text.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        ScheduleVerb verb = Enum.Parse<ScheduleVerb>(words[0], ignoreCase: true);
        return verb == ScheduleVerb.Read
            ? new ScheduleStep(verb, [], Number(words[1]))
            : new ScheduleStep(verb, [.. words.Skip(1).Select(ParsePut)]);
    }

    public override string ToString()
    {
        string word = Verb.ToString().ToLowerInvariant();
        string rest = Verb == ScheduleVerb.Read
            ? " " + Times
            : string.Concat(Puts.Select(static put => put.IsDelete ? $" -{put.Key}" : $" {put.Key}={put.Bytes}#{put.Seed}"));
        return word + rest;
    }

    private static SchedulePut ParsePut(string word)
    {
        if (word[0] == '-')
        {
            return new SchedulePut(Number(word[1..]), -1, 0);
        }

        string[] parts = word.Split('=', '#');
        return new SchedulePut(Number(parts[0]), Number(parts[1]), Number(parts[2]));
    }

    private static int Number(string text) => int.Parse(text, CultureInfo.InvariantCulture);
}

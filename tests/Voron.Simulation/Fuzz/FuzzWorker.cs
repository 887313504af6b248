using System.Globalization;

namespace Voron.Simulation.Fuzz;

/// <summary>
/// The process that tries file sets, one after another; it may die of one. Says on standard output what it is about to try and what it
/// found, for <see cref="FuzzCrew"/>: a question mark and a number, an equals sign and its counts so far, an exclamation mark with a number
/// and a finding.
/// </summary>
internal static class FuzzWorker
{
    /// <summary>The word on the command line that makes a process of this program a worker; first number and end follow.</summary>
    internal const string Word = "fuzz-worker";

    private const int SetsBetweenCounts = 64;
    private const int MostFindings = 20;

    internal static int Run(ReadOnlySpan<string> arguments)
    {
        ulong first = ulong.Parse(arguments[0], CultureInfo.InvariantCulture);
        ulong end = ulong.Parse(arguments[1], CultureInfo.InvariantCulture);
        using StreamWriter say = new(Console.OpenStandardOutput()) { NewLine = "\n" };
        FuzzTally tally = new();
        int findings = 0;
        for (ulong number = first; number < end && findings < MostFindings; number++)
        {
            say.WriteLine($"?{number}");
            say.Flush();
            if (Try(number, tally) is { } finding)
            {
                findings++;
                say.WriteLine($"!{number} {finding.ReplaceLineEndings(" | ")}");
            }

            if (number + 1 == end || number % SetsBetweenCounts == 0)
            {
                say.WriteLine($"={tally.ToLine()}");
            }
        }

        say.WriteLine($"={tally.ToLine()}");
        return 0;
    }

    /// <summary>Null, or what was found, with no more damages than it takes.</summary>
    internal static string? Try(ulong number, FuzzTally? tally = null)
    {
        FuzzSet set = FuzzSet.Make(number);
        if (TryOne(set, tally) is not { } finding)
        {
            return null;
        }

        for (int without = 0; set.Damages > 1 && without < set.Damages; without++)
        {
            FuzzSet fewer = FuzzSet.Make(number, without);
            if (TryOne(fewer, null) is { } same)
            {
                return $"{same.Message} (of {fewer}; damage {without + 1} is not needed)\n{same.InnerException}";
            }
        }

        return $"{finding.Message} (of {set})\n{finding.InnerException}";
    }

    /// <summary>The image as it is; null, or what is wrong with it.</summary>
    internal static string? TrySound(FuzzSeedImage image)
    {
        FuzzTally tally = new();
        string? finding = TryOne(FuzzSet.Sound(image), tally)?.ToString();
        return finding ?? (tally is { Opened: 2, ReadsRefused: 0, Unclean: 0, Salvaged: 1 } ? null : tally.ToString());
    }

    private static FuzzFindingException? TryOne(FuzzSet set, FuzzTally? tally)
    {
        FuzzTrial trial = new(set);
        try
        {
            trial.Run();
            return null;
        }
        catch (FuzzFindingException finding)
        {
            return finding;
        }
        finally
        {
            tally?.Add(trial.Tally);
        }
    }
}

using System.Text.RegularExpressions;

namespace Voron.House.Tests.Rules;

/// <summary>The project speaks only of itself, and of what is: no path of somebody's machine, nothing left to be done.</summary>
internal static partial class SelfRule
{
    internal const string Id = "self";

    internal static IEnumerable<Finding> Check(IEnumerable<SourceFile> files)
    {
        foreach (SourceFile file in files)
        {
            int number = 0;
            foreach (string line in file.Text.Split('\n'))
            {
                number++;
                if (MachinePath().Match(line) is { Success: true } path)
                {
                    yield return new Finding(Id, file.Path, 1,
                        $"line {number}: '{path.Value}' is a path of one machine. Use a relative one, or the system's temporary folder.");
                }

                if (Unfinished().Match(line) is { Success: true } word)
                {
                    yield return new Finding(Id, file.Path, 1, $"line {number}: '{word.Value}'. Do it, or open an issue.");
                }
            }
        }
    }

    // Spelled so that this file does not find itself.
    [GeneratedRegex(@"(?<![\w.\-])/(wor[k]|roo[t]|hom[e])/")]
    private static partial Regex MachinePath();

    [GeneratedRegex(@"\b(TOD[O]|FIXM[E]|HAC[K]|NotImplementedExceptio[n])\b")]
    private static partial Regex Unfinished();
}

using System.Globalization;
using Voron.House.Tests.Rules;

namespace Voron.House.Tests;

/// <summary>
/// Old sinners: each line of <c>ratchet.txt</c> is a rule id, a subject and the largest measure it may have. A finding at its mark
/// passes, a larger one fails, and a mark that is larger than the truth fails too, so that what was won cannot be lost again.
/// </summary>
internal sealed class Ratchet
{
    internal const string FileName = "tests/Voron.House.Tests/ratchet.txt";

    /// <summary>Rules that count something; all others know no exceptions.</summary>
    internal static readonly IReadOnlyList<string> Rules =
        [SizeRule.FileLines, SizeRule.TypeLines, SizeRule.FunctionLines, SizeRule.LineColumns, ThrowRule.Id, IdiomRule.Id, IdTypeRule.Id];

    private readonly Dictionary<(string Rule, string Subject), long> _marks = [];

    internal Ratchet(string text)
    {
        int number = 0;
        foreach (string line in text.Split('\n'))
        {
            number++;
            string entry = line.Trim();
            if (entry.Length == 0 || entry.StartsWith('#'))
            {
                continue;
            }

            string[] parts = entry.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (parts.Length != 3 || !Rules.Contains(parts[0])
                || !long.TryParse(parts[2], NumberStyles.None, CultureInfo.InvariantCulture, out long mark))
            {
                throw new FormatException(
                    $"{FileName}:{number}: '{entry}' is not '<rule> <subject> <measure>' with a rule of {string.Join(", ", Rules)}.");
            }

            _marks.Add((parts[0], parts[1]), mark);
        }
    }

    internal static Ratchet OfRepository => new(File.ReadAllText(Path.Combine(Repository.Root, FileName)));

    /// <summary>What remains to complain about, for the named rules.</summary>
    internal IReadOnlyList<Finding> Judge(IEnumerable<Finding> findings, params string[] rules)
    {
        List<Finding> left = [];
        HashSet<(string, string)> seen = [];
        foreach (Finding finding in findings)
        {
            if (!_marks.TryGetValue((finding.Rule, finding.Subject), out long mark))
            {
                left.Add(finding);
                continue;
            }

            seen.Add((finding.Rule, finding.Subject));
            if (finding.Measure > mark)
            {
                left.Add(finding with { Message = $"{finding.Message} It grew from {mark} to {finding.Measure}; it may only shrink." });
            }
            else if (finding.Measure < mark)
            {
                left.Add(finding with
                {
                    Message = $"it shrank from {mark}: write '{finding.Rule} {finding.Subject} {finding.Measure}' into {FileName}.",
                });
            }
        }

        left.AddRange(_marks
            .Where(entry => rules.Contains(entry.Key.Rule) && !seen.Contains(entry.Key))
            .Select(entry => new Finding(
                entry.Key.Rule, entry.Key.Subject, 0, $"it keeps the rule now: take its line out of {FileName}.")));
        return left;
    }
}

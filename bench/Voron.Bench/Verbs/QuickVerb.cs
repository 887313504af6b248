using Spectre.Console;
using Voron.Bench.Counts;
using Voron.Bench.Measuring;
using Voron.Bench.Workloads;

namespace Voron.Bench.Verbs;

/// <summary>
/// A little of everything in at most three minutes; and the counts of a commit, which are demanded: another number is a failure, since
/// they do not depend on the machine.
/// </summary>
internal static class QuickVerb
{
    private static readonly string[] Wanted = [WorkloadTable.Headline, "one put per tx", "reads", "random GUID, 100 B"];

    internal static int Run(Arguments arguments)
    {
        int code = arguments.IsCountsOnly
            ? 0
            : GroupRunner.Run(arguments.ForQuickRun(), static run => Sections.All(run).Where(static group => Wanted.Contains(group.Name)
                && group.Section is "peers" or "io"));
        return CountsHold(arguments) ? code : 1;
    }

    private static bool CountsHold(Arguments arguments)
    {
        using Workspace workspace = new(arguments.Directory);
        bool holds = true;
        foreach (CountedCommits commits in CountedCommits.In(workspace))
        {
            CommitCounts counted = commits.Count(workspace.NextDatabase(), arguments.Seed);
            bool same = counted == commits.Expected;
            AnsiConsole.WriteLine($"{counted}  {(same ? "as expected" : "EXPECTED")}");
            if (!same)
            {
                AnsiConsole.WriteLine(commits.Expected.ToString());
            }

            holds &= same;
        }

        return holds;
    }
}

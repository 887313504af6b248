using System.Globalization;
using Spectre.Console;
using Voron.Bench.Replicas;

namespace Voron.Bench.Verbs;

/// <summary>
/// A leader beside the log of three servers that carries its commits: one caller against the carrier's own append of the same bytes, many
/// callers against an engine alone, a new node that reads the log, and a leader that is killed. Each with what it must reach.
/// </summary>
internal static class ReplicaVerb
{
    private const int OneCaller = 3_000;
    private const int ManyCallers = 100_000;
    private const int Transactions = 200_000;

    internal static int Run(Arguments arguments)
    {
        using Workspace workspace = new(arguments.Directory);
        AnsiConsole.WriteLine(Machine.Description);
        AnsiConsole.WriteLine($"files in {workspace.Root}");
        foreach (LogKind kind in Enum.GetValues<LogKind>().Where(kind => arguments.WantsEngine(kind.ToString())))
        {
            try
            {
                MeasureAsync(arguments, workspace, kind).GetAwaiter().GetResult();
            }
            catch (FileNotFoundException missing)
            {
                AnsiConsole.WriteLine($"{kind}: skipped; {missing.Message}");
            }
        }

        return 0;
    }

    private static async Task MeasureAsync(Arguments arguments, Workspace workspace, LogKind kind)
    {
        int rounds = arguments.Rounds;
        string name = kind.ToString().ToLowerInvariant();
        using (LogServers one = await LogServers.StartAsync(kind, 1, Path.Combine(workspace.Root, name + "1")))
        {
            // For comparison only: a single server answers without asking others, and the log is lost with its disk.
            ReplicaWork alone = new(workspace, one);
            _ = await OneCallerAsync(alone, $"{name}, one server");
            _ = await ManyCallersAsync(alone, $"{name}, one server");
        }

        using LogServers servers = await LogServers.StartAsync(kind, 3, Path.Combine(workspace.Root, name + "3"));
        ReplicaWork work = new(workspace, servers);
        Promise.Print($"{name}, one caller, of the carrier's own append", await OneCallerAsync(work, name), 0.7, isCeiling: false);
        Promise.Print($"{name}, 256 callers, of an engine alone", await ManyCallersAsync(work, name), 0.5, isCeiling: false);
        (double made, double applied) = await work.ApplyAsync(Scaled(Transactions));
        Tell($"{name}, transactions of one put: {made:N0}/s committed, {applied:N0}/s applied by a new node");
        Promise.Print($"{name}, transactions a second that a follower applies", applied, 50_000, isCeiling: false);
        (double leads, double writes, double most) = await work.FailOverAsync();
        double first = (writes - leads) * 1e3;
        Tell($"{name}, leader killed: another leads after {leads:N2} s, its first write is acknowledged {first:N1} ms later");
        Promise.Print($"{name}, seconds from the kill to the next acknowledged write", writes, most, isCeiling: true);

        async Task<double> OneCallerAsync(ReplicaWork work, string log)
        {
            (double write, double publish, int bytes) = await work.OneCallerAsync(Scaled(OneCaller), rounds);
            Tell($"{log}, one caller: {write * 1e6:N0} µs a write; the carrier's own append of {bytes} bytes {publish * 1e6:N0} µs");
            return publish / write;
        }

        async Task<double> ManyCallersAsync(ReplicaWork work, string log)
        {
            (double leader, double alone, double carrier, int bytes) = await work.ManyCallersAsync(Scaled(ManyCallers), rounds);
            Tell($"{log}, 256 callers: {leader:N0} writes/s; {alone:N0} on an engine alone; the carrier alone {carrier:N0}, {bytes} bytes");
            return leader / alone;
        }

        int Scaled(int full) => Math.Max(100, (int)(full * arguments.Scale));
    }

    private static void Tell(FormattableString text) => AnsiConsole.WriteLine(text.ToString(CultureInfo.InvariantCulture));
}

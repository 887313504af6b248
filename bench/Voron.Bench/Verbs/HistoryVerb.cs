using System.Globalization;
using Spectre.Console;
using Voron.Bench.History;

namespace Voron.Bench.Verbs;

/// <summary>
/// The journal as history: backups, restores, feeds, dumps and loads, each with what it must reach. All of them are of one database of
/// 116-byte items; the device is measured in turns with what is compared with it.
/// </summary>
internal static class HistoryVerb
{
    private const int Items = 4_000_000;
    private const int Transactions = 5_000;

    private const double MostLagMicroseconds = 2_000;

    /// <summary>Commits beside backups, in each round, and as many alone.</summary>
    private const int CommitsBesideBackups = 2_000;

    /// <summary>Commits of 100 puts a second that a consumer follows.</summary>
    private const int FeedRate = 2_000;

    /// <summary>Commits a second that another process reads.</summary>
    private const int ReaderRate = 5_000;

    internal static int Run(Arguments arguments)
    {
        using Workspace workspace = new(arguments.Directory);
        AnsiConsole.WriteLine(Machine.Description);
        AnsiConsole.WriteLine($"files in {workspace.Root}");
        int items = Math.Max(1000, (int)(Items * arguments.Scale));
        int transactions = Math.Max(100, (int)(Transactions * arguments.Scale));
        string folder = workspace.NextDatabase();
        using (BackupWork work = new(workspace, folder, items, arguments.Seed))
        {
            AnsiConsole.WriteLine(string.Create(
                CultureInfo.InvariantCulture, $"{items:N0} items, {work.StreamBytes / 1e6:N0} MB of backup"));
            work.WarmUp();
            (double device, double pages, double stream) = work.BackUp(arguments.Rounds);
            string remark = $"{pages / 1e6:N0} MB/s of pages, {stream / 1e6:N0} of stream; the device {device / 1e6:N0}";
            Tell("full backup, of the device's sequential read", pages / device, 0.7, remark);
            (stream, pages) = work.BackUpAgain();
            Tell("full backup from the page cache, MB/s of pages", pages / 1e6, null, $"{stream / 1e6:N0} of stream");
            Tell("restore, MB/s", work.Restore() / 1e6, 300);
            Tell("dump, M entries/s", work.Dump() / 1e6, 1);
            Tell("load, M entries/s", work.Load() / 1e6, 1);
        }

        (double alone, double beside) = new PacedCommits(folder, CommitsBesideBackups, arguments.Seed).BesideBackups();
        Tell("commit p99 beside backups, of that alone", beside / alone, 1.3, $"{beside:N0} of {alone:N0} µs", isCeiling: true);
        Workspace.Remove(folder);
        folder = workspace.NextDatabase();
        using (FeedWork work = new(folder, transactions, arguments.Seed))
        {
            Tell("changes of random commits, of their journal", work.BackUpChanges(), 1.05, isCeiling: true);
            Tell("feed from the files, M changes/s", work.ReadAll() / 1e6, 1);
            Follow(work, "live feed of all that commits, ", 0);
            Follow(work, $"live feed of {FeedRate:N0} commits a second, ", FeedRate);
        }

        Workspace.Remove(folder);
        folder = workspace.NextDatabase();
        (double seen, alone, beside) = new PacedCommits(folder, transactions, arguments.Seed).BesideReader(ReaderRate);
        Tell("seen by another process, p99, ms", seen / 1e3, 5, isCeiling: true);
        Tell("commit p50 beside that process, of that alone", beside / alone, 1.02, $"{beside:N0} of {alone:N0} µs", isCeiling: true);
        Workspace.Remove(folder);
        return 0;
    }

    private static void Follow(FeedWork work, string what, int perSecond)
    {
        (double[] lags, double[] alone, double[] beside) = work.Follow(perSecond);
        double[] ratios = [.. beside.Zip(alone, static (with, without) => with / without)];
        string rounds = $"median; in {lags.Count(static each => each <= MostLagMicroseconds)} of {lags.Length} rounds";
        Tell($"{what}p99 of the lag, ms", Spread.Of(lags).Median / 1e3, MostLagMicroseconds / 1e3, rounds, isCeiling: true);
        string medians = $"{Spread.Of(beside).Median:N0} of {Spread.Of(alone).Median:N0} µs";
        Tell($"{what}p50 of a commit", Spread.Of(ratios).Median, 1.05, medians, isCeiling: true);
    }

    private static void Tell(string what, double figure, double? must, string remark = "", bool isCeiling = false)
    {
        string verdict = must is { } bound
            ? $"{(isCeiling ? "≤" : "≥")} {bound.ToString(CultureInfo.InvariantCulture)}: "
                + (isCeiling == figure <= bound ? "holds" : "FAILS")
            : string.Empty;
        AnsiConsole.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{what,-64} {figure,10:N2}  {verdict,-16} {remark}"));
    }
}

using System.CommandLine;
using System.Globalization;
using Voron.Storage;
using Voron.Storage.Format;
using Voron.Storage.Transactions;

namespace Voron.Cli.Verbs;

/// <summary><c>voron trees</c>: every tree with what it is made of.</summary>
internal static class TreesVerb
{
    private static readonly Func<ReadTransaction, byte[], TreeReport>[] Kinds =
    [
        static (transaction, name) => transaction.OpenTree(name).GetReport(),
        static (transaction, name) => transaction.OpenMultiTree(name).GetReport(),
        static (transaction, name) => transaction.OpenFixedTree<long>(name).GetReport(),
        static (transaction, name) => transaction.OpenFixedTree<ulong>(name).GetReport(),
        static (transaction, name) => transaction.OpenFixedTree<double>(name).GetReport(),
    ];

    internal static Command Make(Screen screen) => DatabaseFolder.Verb(
        screen,
        "trees",
        "List the trees of a database with entries, depth, pages and fill.",
        (_, _, transaction, stop) => Run(screen, transaction, stop));

    private static void Run(Screen screen, ReadTransaction transaction, CancellationToken stop)
    {
        (string Name, TreeReport Report)[] trees = Survey(screen, transaction, stop);
        screen.Show(
            trees.Select(static tree => new
            {
                tree.Name,
                tree.Report.Entries,
                tree.Report.Depth,
                tree.Report.BranchPages,
                tree.Report.LeafPages,
                tree.Report.OverflowPages,
                tree.Report.LeafFill,
                tree.Report.AllocatedBytes,
            }).ToArray(),
            () => screen.Table(
                ["tree", "entries", "depth", "branches", "leaves", "overflow pages", "fill", "size"],
                trees.Select(static tree => Row(tree.Name, tree.Report)),
                1, 2, 3, 4, 5, 6, 7));
    }

    private static (string Name, TreeReport Report)[] Survey(Screen screen, ReadTransaction transaction, CancellationToken stop) =>
        screen.Watch("reading trees", part =>
        {
            IReadOnlyList<byte[]> names = transaction.TreeNameBytes;
            (string, TreeReport)[] trees = new (string, TreeReport)[names.Count];
            for (int i = 0; i < trees.Length; i++)
            {
                stop.ThrowIfCancellationRequested();
                trees[i] = (KeyText.Whole(names[i]), ReportOf(transaction, names[i]));
                part.Report((i + 1.0) / trees.Length);
            }

            return trees;
        });

    private static TreeReport ReportOf(ReadTransaction transaction, byte[] name)
    {
        foreach (Func<ReadTransaction, byte[], TreeReport> kind in Kinds)
        {
            try
            {
                return kind(transaction, name);
            }
            catch (TreeKindMismatchException)
            {
            }
        }

        return transaction.OpenFixedTree<Guid>(name).GetReport();
    }

    private static string[] Row(string name, TreeReport report) =>
    [
        name,
        ByteCount.Plain(report.Entries),
        ByteCount.Plain(report.Depth),
        ByteCount.Plain(report.BranchPages),
        ByteCount.Plain(report.LeafPages),
        ByteCount.Plain(report.OverflowPages),
        string.Create(CultureInfo.InvariantCulture, $"{report.LeafFill * 100:0} %"),
        ByteCount.Text(report.AllocatedBytes),
    ];
}

using System.CommandLine;
using System.Globalization;
using System.Text;
using Voron.Cli.Picture;
using Voron.Storage;
using Voron.Storage.Format;

namespace Voron.Cli.Verbs;

/// <summary><c>voron space</c>: what the data file and the journal are used for, as a table or as a page with pictures.</summary>
internal static class SpaceVerb
{
    internal static Command Make(Screen screen)
    {
        Argument<string> folder = DatabaseFolder.Argument();
        Option<string?> html = new("--html") { Description = "Write one page with pictures to this new file." };
        Command command = new("space", "Show what the pages of a database are used for, and what an open would replay.") { folder, html };
        command.Does((parsed, stop) => Run(screen, parsed.GetRequiredValue(folder), parsed.GetValue(html), stop));
        return command;
    }

    private static ExitCode Run(Screen screen, string folder, string? html, CancellationToken stop)
    {
        SpaceFacts facts;
        using (StorageEnvironment environment = DatabaseFolder.Open(folder, screen, stop))
        {
            facts = screen.Follow("reading trees", _ => SpaceFacts.Read(folder, environment, stop));
        }

        if (html is not null)
        {
            using FileStream file = new(html, FileMode.CreateNew, FileAccess.Write);
            using StreamWriter writer = new(file, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false));
            PicturePage.Write(writer, facts);
        }

        screen.Show(Document(facts, html), () => Tell(screen, facts, html));
        return facts.Journal.IsClean ? ExitCode.Good : ExitCode.Damaged;
    }

    private static object Document(SpaceFacts facts, string? html) => new
    {
        facts.Folder,
        File = html,
        facts.Space.TransactionId,
        facts.Space.PageBytes,
        facts.Space.Pages,
        facts.Space.FilePages,
        facts.Space.FreePages,
        facts.Space.HeldPages,
        Trees = facts.Space.Trees.Select(static tree => new
        {
            Name = KeyText.Whole(tree.NameBytes.Span),
            tree.Entries,
            tree.Pages,
            tree.OverflowPages,
            tree.Levels,
        }),
        facts.Journal.Chunks,
        facts.Journal.Findings,
        facts.ReplayTransactions,
        facts.ReplayRecords,
        facts.ReplayBytes,
    };

    private static void Tell(Screen screen, SpaceFacts facts, string? html)
    {
        SpaceReport space = facts.Space;
        screen.Table(
            ["used for", "pages", "size", "entries", "levels", "fill of leaves"],
            [
                .. space.Trees.Select(tree => Row(tree, space.PageBytes)),
                ["(free)", ByteCount.Plain(space.FreePages), ByteCount.Text(space.FreePages * space.PageBytes), "", "", ""],
                ["(held)", ByteCount.Plain(space.HeldPages), ByteCount.Text(space.HeldPages * space.PageBytes), "", "", ""],
            ],
            1, 2, 3, 4, 5);
        screen.Line(facts.ReplayRecords == 0
            ? "An open has nothing to replay."
            : $"An open replays {ByteCount.Count(facts.ReplayTransactions, "transaction")}, {ByteCount.Text(facts.ReplayBytes)}.");
        foreach (string finding in facts.Journal.Findings)
        {
            screen.Verdict($"DAMAGED: {finding}", isGood: false);
        }

        if (html is not null)
        {
            screen.Line($"Pictures: '{html}'.");
        }
    }

    private static string[] Row(TreeSpace tree, int pageBytes) =>
    [
        KeyText.Whole(tree.NameBytes.Span),
        ByteCount.Plain(tree.Pages),
        ByteCount.Text(tree.Pages * pageBytes),
        ByteCount.Plain(tree.Entries),
        ByteCount.Plain(tree.Levels.Count),
        string.Create(CultureInfo.InvariantCulture, $"{tree.Levels[^1].Fill * 100:0} %"),
    ];
}

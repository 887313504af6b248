using System.CommandLine;
using System.Globalization;
using System.Text;
using Voron.Storage;
using Voron.Storage.Format;
using Voron.Storage.Pages;

namespace Voron.Cli.Verbs;

/// <summary><c>voron page</c>: one page of the data file, decoded, also when it is damaged.</summary>
internal static class PageVerb
{
    private const int BytesInRow = 16;

    internal static Command Make(Screen screen)
    {
        Argument<string> folder = DatabaseFolder.Argument();
        Argument<long> number = new("number") { Description = "Number of the page, from 0." };
        Option<bool> bytes = new("--bytes") { Description = "Show its bytes as well." };
        Command command = new("page", "Decode one page of the data file, sound or not.") { folder, number, bytes };
        command.Does((parsed, _) => Run(
            screen, parsed.GetRequiredValue(folder), parsed.GetRequiredValue(number), parsed.GetValue(bytes)));
        return command;
    }

    private static ExitCode Run(Screen screen, string folder, long number, bool withBytes)
    {
        DatabaseFolder.Demand(folder);
        PageReport page;
        try
        {
            page = StorageInspection.ReadPage(folder, number);
        }
        catch (ArgumentOutOfRangeException)
        {
            throw new NotFoundException($"The data file of '{folder}' has no page {number}. The first is 0; 'voron stat' tells sizes.");
        }

        screen.Show(
            new
            {
                page.PageNumber,
                page.File,
                page.Content,
                page.IsSound,
                page.Problems,
                Fields = page.Fields.ToDictionary(),
                Entries = page.Entries.Select(static entry => new { Key = KeyText.Whole(entry.Key.Span), entry.ValueBytes, entry.Page }),
                page.ImageAt,
                Bytes = withBytes ? Convert.ToHexStringLower(page.Bytes.Span) : null,
            },
            () => Tell(screen, page, withBytes));
        return page.IsSound ? ExitCode.Good : ExitCode.Damaged;
    }

    private static void Tell(Screen screen, PageReport page, bool withBytes)
    {
        screen.Line($"Page {page.PageNumber} of '{page.File}': {NameOf(page.Content)}.");
        foreach (string problem in page.Problems)
        {
            screen.Verdict($"DAMAGED, if it is in use: {problem}", isGood: false);
        }

        if (page.ImageAt is { } place)
        {
            screen.Line($"The newest image set has an image of it at {place}, which recovery takes instead of these bytes.");
        }

        screen.Pairs(page.Fields);
        if (page.Entries.Count > 0)
        {
            bool isBranch = page.Content == PageContent.Branch;
            screen.Table(
                isBranch ? ["from key", "child"] : ["key", "value bytes", "in page"],
                page.Entries.Select(entry => Row(entry, isBranch)),
                1, 2);
        }

        if (withBytes)
        {
            ShowBytes(screen, page.Bytes.Span);
        }
    }

    private static string[] Row(PageEntry entry, bool isBranch)
    {
        string key = KeyText.Shortened(entry.Key.Span, 60);
        string page = entry.Page < 0 ? string.Empty : entry.Page.ToString(CultureInfo.InvariantCulture);
        return isBranch
            ? [key, page]
            : [key, entry.ValueBytes < 0 ? "in pieces" : entry.ValueBytes.ToString(CultureInfo.InvariantCulture), page];
    }

    private static string NameOf(PageContent content) => content switch
    {
        PageContent.HeaderSlot => "a header slot",
        PageContent.Leaf => "a leaf",
        PageContent.Branch => "a branch",
        PageContent.Overflow => "the first page of an overflow run",
        PageContent.SpaceMap => "a space map",
        PageContent.Empty => "zeros",
        _ => "nothing that has a page header",
    };

    private static void ShowBytes(Screen screen, ReadOnlySpan<byte> bytes)
    {
        StringBuilder row = new();
        for (int at = 0; at < bytes.Length; at += BytesInRow)
        {
            ReadOnlySpan<byte> part = bytes.Slice(at, Math.Min(BytesInRow, bytes.Length - at));
            row.Clear().Append(CultureInfo.InvariantCulture, $"{at:x5} ");
            foreach (byte one in part)
            {
                row.Append(CultureInfo.InvariantCulture, $" {one:x2}");
            }

            row.Append("  ");
            foreach (byte one in part)
            {
                row.Append(one is >= 0x20 and < 0x7F ? (char)one : '.');
            }

            screen.Line(row.ToString());
        }
    }
}

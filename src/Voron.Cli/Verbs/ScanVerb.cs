using System.CommandLine;
using System.Text.Json;
using Voron.Storage;
using Voron.Storage.Format;
using Voron.Storage.Transactions;

namespace Voron.Cli.Verbs;

/// <summary><c>voron scan</c>: entries of a tree in key order.</summary>
internal static class ScanVerb
{
    private const int DefaultLimit = 100;

    /// <summary>A line for people shows the beginning of a longer value.</summary>
    private const int LongestInLine = 100;

    internal static Command Make(Screen screen)
    {
        Argument<string> folder = DatabaseFolder.Argument();
        Argument<string> tree = new("tree") { Description = "Name of the tree." };
        Option<string?> prefix = new("--prefix") { Description = "Only keys that begin with this." };
        Option<string?> from = new("--from") { Description = "Only keys from this one on." };
        Option<string?> to = new("--to") { Description = "Only keys below this one." };
        Option<bool> reverse = new("--reverse") { Description = "From the last key to the first." };
        Option<long> limit = new("--limit")
        {
            Description = "Stop after this many entries; 0 for no limit.",
            DefaultValueFactory = _ => DefaultLimit,
        };
        Option<bool> keys = new("--keys") { Description = "Keys without values." };
        Option<string?> keyType = new("--key-type") { Description = "Show keys as int64 or guid, as typed trees store them." };
        keyType.AcceptOnlyFromAmong(ByteText.Int64Type, ByteText.GuidType);
        Command command = new("scan", "List entries of a tree in key order.")
        {
            folder, tree, prefix, from, to, reverse, limit, keys, keyType,
        };
        command.Does((parsed, stop) => Run(
            screen,
            parsed.GetRequiredValue(folder),
            parsed.GetRequiredValue(tree),
            new Question(
                BytesOf(parsed.GetValue(prefix)),
                BytesOf(parsed.GetValue(from)),
                BytesOf(parsed.GetValue(to)),
                parsed.GetValue(reverse),
                parsed.GetValue(limit),
                parsed.GetValue(keys)),
            parsed.GetValue(keyType),
            stop));
        return command;
    }

    private static ExitCode Run(
        Screen screen, string folder, string treeName, Question question, string? keyType, CancellationToken stop)
    {
        if (question.Prefix is not null && (question.From is not null || question.To is not null))
        {
            throw new ArgumentException("--prefix goes without --from and --to.");
        }

        if (question.Limit < 0)
        {
            throw new ArgumentException("--limit is 0 or more.");
        }

        using StorageEnvironment environment = DatabaseFolder.Open(folder, screen, stop);
        using ReadTransaction transaction = environment.BeginRead();
        ReadTree tree = DatabaseFolder.OpenTree(transaction, treeName);
        Listing listing = new(tree, question);
        if (screen.IsJson)
        {
            using Utf8JsonWriter writer = new(screen.Output, new JsonWriterOptions { Indented = true });
            writer.WriteStartArray();
            listing.Run((key, value, problem) => Write(writer, ByteText.KeyOf(key, keyType), value, problem, question.IsKeysOnly), stop);
            writer.WriteEndArray();
            writer.Flush();
            screen.Line(string.Empty);
        }
        else
        {
            listing.Run(
                (key, value, problem) => screen.Named(ByteText.KeyOf(key, keyType), RestOf(value, problem, question.IsKeysOnly)), stop);
            if (listing.IsCut)
            {
                string all = question.IsWholeTree ? $"all {ByteCount.Plain(tree.Count)}" : $"about {ByteCount.Plain(listing.Estimate())}";
                screen.Error.WriteLine($"Stopped after {question.Limit} entries; --limit 0 lists {all}.");
            }
        }

        return listing.IsDamaged ? ExitCode.Damaged : ExitCode.Good;
    }

    private static string RestOf(ReadOnlySpan<byte> value, string? problem, bool isKeysOnly) => isKeysOnly
        ? string.Empty
        : $"\t{(problem is null ? KeyText.Shortened(value, LongestInLine) : $"({problem})")}";

    private static void Write(Utf8JsonWriter writer, string key, ReadOnlySpan<byte> value, string? problem, bool isKeysOnly)
    {
        writer.WriteStartObject();
        writer.WriteString("key", key);
        if (problem is not null)
        {
            writer.WriteString("problem", problem);
        }
        else if (!isKeysOnly)
        {
            writer.WriteNumber("bytes", value.Length);
            writer.WriteString("value", KeyText.Whole(value));
        }

        writer.WriteEndObject();
    }

    private static byte[]? BytesOf(string? text) => text is null ? null : ByteText.ParseKey(text);
}

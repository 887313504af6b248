using System.CommandLine;
using System.IO.Pipelines;
using Voron.Storage;

namespace Voron.Cli.Verbs;

/// <summary><c>voron load</c>: entries of a dump, or of lines of JSON, from a file or from standard input.</summary>
internal static class LoadVerb
{
    internal static Command Make(Screen screen)
    {
        Argument<string> folder = DatabaseFolder.Argument();
        Argument<string?> file = new("file")
        {
            Description = "The dump; without it, or for -, standard input.",
            Arity = ArgumentArity.ZeroOrOne,
        };
        Option<string?> tree = new("--tree")
        {
            Description = "The tree for JSON lines, for sections without a name, or for the only section.",
        };
        Option<bool> noOverwrite = new("--no-overwrite") { Description = "Keep the values of keys that exist." };
        Option<bool> append = new("--append") { Description = "Refuse a key that is not above all others of its tree." };
        Option<long> batch = new("--batch") { Description = "Commit after this many entries, instead of all of them at the end." };
        Option<bool> jsonl = new("--jsonl") { Description = "The input is JSON lines, one object each." };
        Option<string?> key = new("--key") { Description = "The property of each object that is its key, such as _id.$oid." };
        Command command = new("load", "Store the entries of a dump of this tool, LMDB, libmdbx or Berkeley DB, or of JSON lines.")
        {
            folder, file, tree, noOverwrite, append, batch, jsonl, key,
        };
        command.Does((parsed, stop) =>
        {
            string? property = parsed.GetValue(key);
            if (parsed.GetValue(jsonl) != (property is not null))
            {
                throw new ArgumentException("--jsonl and --key go together: --jsonl --key id.");
            }

            LoadOptions options = new()
            {
                TreeNameBytes = parsed.GetValue(tree) is { } name ? ByteText.Parse(name) : default,
                NoOverwrite = parsed.GetValue(noOverwrite),
                Append = parsed.GetValue(append),
                EntriesPerTransaction = parsed.GetValue(batch),
                JsonKey = property,
            };
            return Run(screen, parsed.GetRequiredValue(folder), parsed.GetValue(file), options, stop);
        });
        return command;
    }

    private static ExitCode Run(Screen screen, string folder, string? file, LoadOptions options, CancellationToken stop)
    {
        using Stream input = file is null or "-" ? screen.Input : new FileStream(file, FileMode.Open, FileAccess.Read);
        using StorageEnvironment environment = DatabaseFolder.OpenToChange(folder, create: true, screen, stop);
        LoadReport report = screen.Follow("loading", far =>
        {
            Distance distance = new(far);
            try
            {
                PipeReader reader = PipeReader.Create(input, new StreamPipeReaderOptions(bufferSize: 256 << 10));
                return StorageDump.LoadAsync(environment, reader, options, distance, stop).AsTask().GetAwaiter().GetResult();
            }
            catch when (options.EntriesPerTransaction > 0)
            {
                screen.Error.WriteLine($"voron: {ByteCount.Count(distance.Committed, "entry", "entries")} committed before the error.");
                throw;
            }
        });
        foreach (string warning in report.Warnings)
        {
            screen.Error.WriteLine($"voron: {warning}");
        }

        screen.Show(
            new
            {
                Folder = folder,
                report.TransactionId,
                report.Sections,
                report.Entries,
                report.Skipped,
                report.SubDatabaseRecords,
                report.Warnings,
            },
            () => Tell(screen, report));
        return ExitCode.Good;
    }

    private static void Tell(Screen screen, LoadReport report)
    {
        screen.Line($"{ByteCount.Count(report.Entries, "entry", "entries")} in {ByteCount.Count(report.Sections, "section")}.");
        if (report.Skipped > 0)
        {
            screen.Line($"{ByteCount.Plain(report.Skipped)} of them kept the value that they had.");
        }

        if (report.SubDatabaseRecords > 0)
        {
            screen.Line(
                $"{ByteCount.Plain(report.SubDatabaseRecords)} of them are LMDB's own records of sub-databases, and were left out.");
        }
    }

    private sealed class Distance(IProgress<string> far) : IProgress<LoadProgress>
    {
        internal long Committed { get; private set; }

        public void Report(LoadProgress value)
        {
            Committed = value.Committed;
            far.Report($"{ByteCount.Plain(value.Entries)} entries");
        }
    }
}

using System.CommandLine;
using System.IO.Pipelines;
using Voron.Storage;

namespace Voron.Cli.Verbs;

/// <summary><c>voron dump</c>: trees as text that other stores read, to standard output or a new file.</summary>
internal static class DumpVerb
{
    internal static Command Make(Screen screen)
    {
        Argument<string> folder = DatabaseFolder.Argument();
        Argument<string?> tree = new("tree")
        {
            Description = "Name of the tree; without it all are dumped.",
            Arity = ArgumentArity.ZeroOrOne,
        };
        Option<bool> all = new("--all") { Description = "All trees, which is also what is dumped if no tree is named." };
        Option<bool> print = new("--print") { Description = "Printable characters as they are, other bytes as digits." };
        Option<bool> strict = new("--strict") { Description = "Refuse what mdb_load of LMDB would refuse, instead of warning." };
        Option<string?> target = new("--out") { Description = "Write the dump to this new file." };
        Command command = new("dump", "Write trees as text, in the format of mdb_dump.") { folder, tree, all, print, strict, target };
        command.Does((parsed, stop) =>
        {
            string? name = parsed.GetValue(tree);
            if (name is not null && parsed.GetValue(all))
            {
                throw new ArgumentException("--all goes without the name of a tree.");
            }

            DumpOptions options = new()
            {
                TreeNameBytes = name is null ? default : ByteText.Parse(name),
                Print = parsed.GetValue(print),
                Strict = parsed.GetValue(strict),
            };
            return Run(screen, parsed.GetRequiredValue(folder), options, parsed.GetValue(target), stop);
        });
        return command;
    }

    private static ExitCode Run(Screen screen, string folder, DumpOptions options, string? target, CancellationToken stop)
    {
        if (screen.IsJson && target is null)
        {
            throw new ArgumentException("With --json the dump goes to a file: name it with --out.");
        }

        using StorageEnvironment environment = DatabaseFolder.Open(folder, screen, stop);
        DumpReport report = target is null
            ? Write(environment, screen.Output, options, stop)
            : screen.Follow("dumping", _ => WriteFile(environment, target, options, stop));
        foreach (string warning in report.Warnings)
        {
            screen.Error.WriteLine($"voron: {warning}");
        }

        if (target is not null)
        {
            screen.Show(
                new { File = target, report.TransactionId, report.Trees, report.Entries, report.Bytes, report.Warnings },
                () => screen.Line($"'{target}': {ByteCount.Count(report.Trees, "tree")}, "
                    + $"{ByteCount.Count(report.Entries, "entry", "entries")}, {ByteCount.Text(report.Bytes)}."));
        }

        return ExitCode.Good;
    }

    /// <summary>A dump that ends early is removed: it would only be in the way of the next try.</summary>
    private static DumpReport WriteFile(StorageEnvironment environment, string target, DumpOptions options, CancellationToken stop)
    {
        using FileStream file = new(target, FileMode.CreateNew, FileAccess.Write);
        try
        {
            return Write(environment, file, options, stop);
        }
        catch
        {
            file.Dispose();
            File.Delete(target);
            throw;
        }
    }

    private static DumpReport Write(StorageEnvironment environment, Stream stream, DumpOptions options, CancellationToken stop)
    {
        PipeWriter writer = PipeWriter.Create(stream, new StreamPipeWriterOptions(minimumBufferSize: 64 << 10, leaveOpen: true));
        DumpReport report = StorageDump.WriteAsync(environment, writer, options, stop).AsTask().GetAwaiter().GetResult();
        writer.Complete();
        return report;
    }
}

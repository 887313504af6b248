using System.CommandLine;
using System.Globalization;
using System.IO.Pipelines;
using Voron.Storage;
using Voron.Storage.Format;
using Voron.Storage.Transactions;

namespace Voron.Cli.Verbs;

/// <summary><c>voron get</c>: one value, byte for byte.</summary>
internal static class GetVerb
{
    /// <summary>JSON holds a value as a whole; longer ones go to a file.</summary>
    private const int LongestInJson = 64 << 20;

    internal static Command Make(Screen screen)
    {
        Argument<string> folder = DatabaseFolder.Argument();
        Argument<string> tree = new("tree") { Description = "Name of the tree." };
        Argument<string> key = new("key") { Description = ByteText.KeyHelp };
        Option<string?> target = new("--out") { Description = "Write the value to this new file." };
        Command command = new("get", "Write the value of a key to standard output, byte for byte.") { folder, tree, key, target };
        command.Does((parsed, stop) => Run(
            screen,
            parsed.GetRequiredValue(folder),
            parsed.GetRequiredValue(tree),
            parsed.GetRequiredValue(key),
            parsed.GetValue(target),
            stop));
        return command;
    }

    private static ExitCode Run(Screen screen, string folder, string treeName, string keyText, string? target, CancellationToken stop)
    {
        byte[] key = ByteText.ParseKey(keyText);
        using StorageEnvironment environment = DatabaseFolder.Open(folder, screen, stop);
        using ReadTransaction transaction = environment.BeginRead();
        ReadTree tree = DatabaseFolder.OpenTree(transaction, treeName);
        if (!tree.TryOpenValueReader(key, out PipeReader? reader))
        {
            throw new NotFoundException($"Tree '{treeName}' has no key '{KeyText.Whole(key)}'.");
        }

        if (target is not null)
        {
            CopyToFile(screen, reader, target, stop);
        }
        else if (screen.IsJson)
        {
            byte[] value = ReadWhole(reader, stop);
            screen.Document(new { Tree = treeName, Key = KeyText.Whole(key), Bytes = value.Length, Value = KeyText.Whole(value) });
        }
        else
        {
            reader.CopyToAsync(screen.Output, stop).GetAwaiter().GetResult();
            if (screen.IsInteractive)
            {
                screen.Line(string.Empty);
            }
        }

        reader.Complete();
        return ExitCode.Good;
    }

    private static void CopyToFile(Screen screen, PipeReader reader, string target, CancellationToken stop)
    {
        long bytes = screen.Follow("writing", _ =>
        {
            using FileStream file = new(target, FileMode.CreateNew, FileAccess.Write);
            reader.CopyToAsync(file, stop).GetAwaiter().GetResult();
            return file.Length;
        });
        screen.Show(
            new { File = target, Bytes = bytes }, () => screen.Line($"'{target}': {bytes.ToString(CultureInfo.InvariantCulture)} bytes."));
    }

    private static byte[] ReadWhole(PipeReader reader, CancellationToken stop)
    {
        using MemoryStream memory = new();
        while (true)
        {
            ReadResult piece = reader.ReadAsync(stop).AsTask().GetAwaiter().GetResult();
            foreach (ReadOnlyMemory<byte> part in piece.Buffer)
            {
                memory.Write(part.Span);
            }

            reader.AdvanceTo(piece.Buffer.End);
            if (piece.IsCompleted)
            {
                return memory.ToArray();
            }

            if (memory.Length > LongestInJson)
            {
                throw new ArgumentException($"The value is longer than {ByteCount.Text(LongestInJson)}: write it to a file with --out.");
            }
        }
    }
}

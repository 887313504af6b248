using System.CommandLine;
using Voron.Storage;
using Voron.Storage.Format;

namespace Voron.Cli.Verbs;

/// <summary><c>voron put</c>: one entry, durable when the tool ends.</summary>
internal static class PutVerb
{
    internal static Command Make(Screen screen)
    {
        Argument<string> folder = DatabaseFolder.Argument();
        Argument<string> tree = new("tree") { Description = "Name of the tree; created if it is missing." };
        Argument<string> key = new("key") { Description = ByteText.KeyHelp };
        Argument<string> value = new("value") { Description = "The value as text, or hex:0a0b for any bytes." };
        Command command = new("put", "Store one entry; a value that is there is replaced.") { folder, tree, key, value };
        command.Does((parsed, stop) => Run(
            screen,
            parsed.GetRequiredValue(folder),
            ByteText.Parse(parsed.GetRequiredValue(tree)),
            ByteText.ParseKey(parsed.GetRequiredValue(key)),
            ByteText.Parse(parsed.GetRequiredValue(value)),
            stop));
        return command;
    }

    private static ExitCode Run(Screen screen, string folder, byte[] tree, byte[] key, byte[] value, CancellationToken stop)
    {
        using StorageEnvironment environment = DatabaseFolder.OpenToChange(folder, create: false, screen, stop);
        using WriteTransaction transaction = environment.BeginWrite();
        long id = transaction.TransactionId;
        transaction.OpenTree(tree).Put(key, value);
        transaction.Commit();
        screen.Show(
            new { Tree = KeyText.Whole(tree), Key = KeyText.Whole(key), Bytes = value.Length, TransactionId = id },
            () => screen.Line($"Stored in transaction {id}."));
        return ExitCode.Good;
    }
}

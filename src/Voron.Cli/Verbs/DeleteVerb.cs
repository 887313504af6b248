using System.CommandLine;
using Voron.Storage;
using Voron.Storage.Format;

namespace Voron.Cli.Verbs;

/// <summary><c>voron delete</c>: one entry, gone for good when the tool ends.</summary>
internal static class DeleteVerb
{
    internal static Command Make(Screen screen)
    {
        Argument<string> folder = DatabaseFolder.Argument();
        Argument<string> tree = new("tree") { Description = "Name of the tree." };
        Argument<string> key = new("key") { Description = ByteText.KeyHelp };
        Command command = new("delete", "Delete one entry.") { folder, tree, key };
        command.Does((parsed, stop) => Run(
            screen, parsed.GetRequiredValue(folder), parsed.GetRequiredValue(tree), ByteText.ParseKey(parsed.GetRequiredValue(key)), stop));
        return command;
    }

    private static ExitCode Run(Screen screen, string folder, string treeName, byte[] key, CancellationToken stop)
    {
        byte[] name = ByteText.Parse(treeName);
        using StorageEnvironment environment = DatabaseFolder.OpenToChange(folder, create: false, screen, stop);
        using WriteTransaction transaction = environment.BeginWrite();
        long id = transaction.TransactionId;
        if (!transaction.TryOpenTree(name, out Tree tree))
        {
            throw new NotFoundException($"There is no tree '{treeName}'. 'voron trees' lists those that there are.");
        }

        if (!tree.Delete(key))
        {
            throw new NotFoundException($"Tree '{treeName}' has no key '{KeyText.Whole(key)}'.");
        }

        transaction.Commit();
        screen.Show(
            new { Tree = treeName, Key = KeyText.Whole(key), TransactionId = id }, () => screen.Line($"Deleted in transaction {id}."));
        return ExitCode.Good;
    }
}

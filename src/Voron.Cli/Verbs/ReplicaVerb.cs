using System.CommandLine;
using Voron.Storage;
using Voron.Storage.Replication;

namespace Voron.Cli.Verbs;

/// <summary><c>voron replica</c>: which log a node follows and how far it is, or its database discarded.</summary>
internal static class ReplicaVerb
{
    internal static Command Make(Screen screen)
    {
        Argument<string> folder = DatabaseFolder.Argument();
        Option<bool> discard = new("--discard")
        {
            Description = "Delete the database, so that the node begins anew from a snapshot or the log. The node must be stopped.",
        };
        Command command = new("replica", "Show which log a node of a replicated database follows, and how far it is.") { folder, discard };
        command.Does((parsed, stop) => Run(screen, parsed.GetRequiredValue(folder), parsed.GetValue(discard), stop));
        return command;
    }

    private static ExitCode Run(Screen screen, string folder, bool discards, CancellationToken stop)
    {
        if (Replica.ReadPlace(folder) is not { } place)
        {
            DatabaseFolder.Demand(folder);
            throw new NotFoundException($"The database in '{folder}' follows no log: it is no node of a replicated database.");
        }

        if (discards)
        {
            Replica.Discard(folder);
            screen.Show(
                new { Folder = folder, place.Log, Discarded = true },
                () => screen.Line($"Discarded the database in '{folder}', which followed log {place.Log}."));
            return ExitCode.Good;
        }

        using StorageEnvironment environment = DatabaseFolder.Open(folder, screen, stop);
        long last = environment.GetReport().LastTransactionId;
        screen.Show(
            new { Folder = folder, place.Log, LastTransactionId = last, place.Position, place.TransactionId, place.Epoch },
            () => screen.Pairs(
            [
                new("log", place.Log.ToString()),
                new("last transaction", ByteCount.Plain(last)),
                new("saved position", ByteCount.Plain(place.Position)),
                new("its transaction", ByteCount.Plain(place.TransactionId)),
                new("its epoch", ByteCount.Plain(place.Epoch)),
            ]));
        return ExitCode.Good;
    }
}

using System.CommandLine;
using Voron.Storage;

namespace Voron.Cli;

/// <summary>The folder that a verb is about.</summary>
internal static class DatabaseFolder
{
    private const string DataFile = "data.voron";

    internal static Argument<string> Argument() => new("folder") { Description = $"The folder that holds {DataFile}." };

    /// <summary>A verb about a whole database and nothing else: it is opened, and shown as one snapshot has it.</summary>
    internal static Command Verb(
        Screen screen, string name, string description, Action<string, StorageEnvironment, ReadTransaction, CancellationToken> show)
    {
        Argument<string> folder = Argument();
        Command command = new(name, description) { folder };
        command.Does((parsed, stop) =>
        {
            string path = parsed.GetRequiredValue(folder);
            using StorageEnvironment environment = Open(path, screen, stop);
            using ReadTransaction transaction = environment.BeginRead();
            show(path, environment, transaction, stop);
            return ExitCode.Good;
        });
        return command;
    }

    /// <summary>Opens for reading: nothing is created, written or synced.</summary>
    internal static StorageEnvironment Open(string folder, Screen screen, CancellationToken stop)
    {
        Demand(folder);
        return Open(folder, new StorageOptions { ReadOnly = true }, screen, stop);
    }

    /// <summary>Opens for a verb that changes the database.</summary>
    internal static StorageEnvironment OpenToChange(string folder, bool create, Screen screen, CancellationToken stop)
    {
        if (!create)
        {
            Demand(folder);
        }

        return Open(folder, new StorageOptions(), screen, stop);
    }

    private static StorageEnvironment Open(string folder, StorageOptions options, Screen screen, CancellationToken stop) =>
        screen.Watch("reading the journal", part => StorageEnvironment
            .OpenAsync(folder, options, new JournalPart(part), stop)
            .AsTask().GetAwaiter().GetResult());

    /// <summary>The tree that the user named.</summary>
    internal static ReadTree OpenTree(ReadTransaction transaction, string name)
    {
        try
        {
            return transaction.TryOpenTree(ByteText.Parse(name), out ReadTree tree)
                ? tree
                : throw new NotFoundException($"There is no tree '{name}'. 'voron trees' lists those that there are.");
        }
        catch (TreeKindMismatchException) when (transaction.TryOpenMultiTree(ByteText.Parse(name), out _))
        {
            throw new ArgumentException($"The tree '{name}' has several values for a key. 'voron dump' writes its pairs.");
        }
        catch (TreeKindMismatchException error)
        {
            throw new ArgumentException($"The tree '{name}' is {error.Found}. 'voron dump' writes its entries.");
        }
    }

    /// <summary>Says what is missing before anything is opened.</summary>
    internal static void Demand(string folder)
    {
        string file = Path.Combine(folder, DataFile);
        try
        {
            // Unlike File.Exists it says when the system refuses to answer: that is not the same as "no database".
            File.GetAttributes(file);
            return;
        }
        catch (Exception error) when (error is FileNotFoundException or DirectoryNotFoundException)
        {
        }

        if (File.Exists(folder))
        {
            throw new NotFoundException($"'{folder}' is a file. Name the folder that holds {DataFile}.");
        }

        string journal = Path.Combine(folder, "journal");
        throw new NotFoundException(!Directory.Exists(folder) ? $"There is no folder '{folder}'."
            : Directory.Exists(journal) && Directory.EnumerateFiles(journal).Any()
                ? $"'{file}' is missing, but its journal is there: the data file was lost or moved away. Put it back, or restore a backup."
                : $"There is no database in '{folder}': it holds no {DataFile}.");
    }

    private sealed class JournalPart(IProgress<double> part) : IProgress<RecoveryProgress>
    {
        public void Report(RecoveryProgress value) =>
            part.Report(value.JournalBytes == 0 ? 1 : value.JournalBytesRead / (double)value.JournalBytes);
    }
}

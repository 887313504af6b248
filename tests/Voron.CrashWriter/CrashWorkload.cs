using Voron.Storage;

namespace Voron.CrashWriter;

/// <summary>
/// Five short lives on one thread, so that the n-th system call of a kind is the same in every run. Messages are those of
/// <see cref="CrashWriting"/>: 'S' n before transaction n is begun, 'A' n when it is acknowledged.
/// </summary>
public static class CrashWorkload
{
    /// <summary>The exit code of a life that ended with one of the engine's own errors.</summary>
    public const int TypedError = 4;

    /// <summary>All of them; "leave" prepares a database for "recovery" and is none itself.</summary>
    public static IReadOnlyList<string> Names { get; } = ["create", "commits", "checkpoint", "recovery", "close"];

    /// <summary>Lives one, and says on standard error with which of the engine's errors it ended.</summary>
    public static int Run(string folder, string name, ulong seed)
    {
        using Stream output = Console.OpenStandardOutput();
        StorageOptions options = new() { Engine = new() { Background = false }, PageSize = 4096 };
        try
        {
            StorageEnvironment environment = StorageEnvironment.Open(folder, options);
            Live(environment, name, seed, output);
        }
        catch (StorageException error)
        {
            Console.Error.WriteLine($"{error.GetType().Name}: {error.Message}");
            return TypedError;
        }

        return 0;
    }

    private static void Live(StorageEnvironment environment, string name, ulong seed, Stream output)
    {
        switch (name)
        {
            case "commits":
                Commit(environment, seed, 12, output);
                break;
            case "checkpoint":
                Commit(environment, seed, 3, output);
                environment.Checkpoint();
                Commit(environment, seed, 1, output);
                environment.Checkpoint();
                break;
            case "recovery":
                Commit(environment, seed, 1, output);
                break;
            case "close":
                Commit(environment, seed, 2, output);
                environment.Dispose();
                break;
            case "leave":
                Commit(environment, seed, 4, output);
                environment.Checkpoint();
                using (environment.BeginRead())
                {
                    Commit(environment, seed, 4, output);
                    environment.Checkpoint();
                }

                Commit(environment, seed, 6, output);
                break;
        }
    }

    private static void Commit(StorageEnvironment environment, ulong seed, int count, Stream output)
    {
        for (int i = 0; i < count; i++)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            Tree tree = transaction.OpenTree("data");
            long number = CrashScript.LastIn(tree.AsReadTree()) + 1;
            CrashWriting.Send(output, 'S', number);
            CrashScript.Apply(tree, seed, number);
            transaction.Commit();
            CrashWriting.Send(output, 'A', number);
        }
    }
}

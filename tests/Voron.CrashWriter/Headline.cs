using System.Buffers.Binary;
using Voron.Storage;

namespace Voron.CrashWriter;

/// <summary>The headline's transactions, without a clock: for traces of system calls.</summary>
public static class Headline
{
    private const int PutsPerTransaction = 100;

    /// <summary>Under a trace on a slow disk a checkpoint that began beside the commits may end long after them.</summary>
    private static readonly TimeSpan LongestCheckpoint = TimeSpan.FromMinutes(1);

    /// <summary>Commits the transactions, lets a checkpoint run now and then, and prints the environment's counters.</summary>
    public static int Run(string folder, bool random, int transactions)
    {
        using StorageEnvironment environment = StorageEnvironment.Open(folder, new StorageOptions { JournalSoftLimitBytes = 1 << 20 });
        Random source = new(1);
        byte[] key = new byte[16];
        byte[] value = new byte[100];
        for (int n = 0; n < transactions; n++)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            Tree tree = transaction.OpenTree("data");
            for (int i = 0; i < PutsPerTransaction; i++)
            {
                source.NextBytes(value);
                source.NextBytes(key);
                if (!random)
                {
                    BinaryPrimitives.WriteInt64BigEndian(key, (n * PutsPerTransaction) + i);
                }

                tree.Put(key, value);
            }

            transaction.Commit();
        }

        _ = SpinWait.SpinUntil(() => environment.GetReport().Checkpoints > 0, LongestCheckpoint);
        EnvironmentReport report = environment.GetReport();
        Console.WriteLine(
            $"{report.Commits} {report.JournalWrites} {report.JournalSyncs} {report.JournalBytesWritten} {report.Checkpoints}");
        return 0;
    }

    /// <summary>
    /// Opens new databases, commits to each of them, if that is asked for, and prints the maps of the process when all are open and at
    /// rest; Linux only.
    /// </summary>
    public static int Map(string folder, int databases, bool commits)
    {
        List<StorageEnvironment> open = [];
        for (int i = 0; i < databases; i++)
        {
            StorageEnvironment environment = StorageEnvironment.Open(Path.Combine(folder, $"{i}"));
            open.Add(environment);
            if (commits)
            {
                using WriteTransaction transaction = environment.BeginWrite();
                transaction.OpenTree("data").Put("key"u8, "value"u8);
                transaction.Commit();
            }
        }

        Console.Write(MapsAtRest(open));
        open.ForEach(static environment => environment.Dispose());
        return 0;
    }

    /// <summary>Threads of the engine that have nothing to do end; the runtime gives their stacks back some time after.</summary>
    private static string MapsAtRest(List<StorageEnvironment> open)
    {
        string last = string.Empty;
        for (int looks = 0; looks < 120; looks++)
        {
            Thread.Sleep(500);
            string maps = File.ReadAllText("/proc/self/maps");
            if (maps.Length == last.Length && open.TrueForAll(static environment => environment.Database.IsAtRest))
            {
                break;
            }

            last = maps;
        }

        return last;
    }

    /// <summary>Opens read-only, reads everything and prints how many entries there are.</summary>
    public static int Read(string folder)
    {
        using StorageEnvironment environment = StorageEnvironment.Open(folder, new StorageOptions { ReadOnly = true });
        using ReadTransaction transaction = environment.BeginRead();
        long entries = 0;
        foreach ((_, ReadOnlySpan<byte> value) in transaction.OpenTree("data"))
        {
            entries += value.Length == 100 ? 1 : 0;
        }

        Console.WriteLine(entries);
        return 0;
    }
}

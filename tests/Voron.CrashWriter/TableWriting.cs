using Voron.Storage;
using Voron.Storage.Typed;

namespace Voron.CrashWriter;

/// <summary>
/// The victim of an index build: it builds the indexes of a table, drops them, and builds them again, while it changes rows. 'A' n: the
/// change n is acknowledged; 'B' and 'E': a build begins and ends.
/// </summary>
public static class TableWriting
{
    /// <summary>The tree with the number of the last change.</summary>
    public const string ChangesTree = "changes";

    private static ReadOnlySpan<byte> Name => "last"u8;

    /// <summary>Runs until the process is killed.</summary>
    public static int Run(string folder, ulong seed)
    {
        using Stream output = Console.OpenStandardOutput();
        using StorageEnvironment environment = StorageEnvironment.Open(folder, new StorageOptions { JournalSoftLimitBytes = 1 << 20 });
        new Thread(CrashWriting.EndWithParent) { IsBackground = true }.Start();
        KilledTable.Fill(environment);
        new Thread(() => Build(environment, output)) { IsBackground = true }.Start();
        while (true)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            long change = transaction.OpenTree(ChangesTree).Increment(Name);
            KilledTable.Change(transaction.OpenTable(KilledTable.Indexed), seed, change);
            transaction.Commit();
            CrashWriting.Send(output, 'A', change);
        }
    }

    /// <summary>Returns the number of the last change that is there.</summary>
    public static long LastChange(ReadTransaction read) =>
        read.TryOpenTree(ChangesTree, out ReadTree tree) && tree.TryGet(Name, out ReadOnlySpan<byte> last)
            ? BitConverter.ToInt64(last)
            : 0;

    private static void Build(StorageEnvironment environment, Stream output)
    {
        IndexBuild build = new() { RowsPerTransaction = 40 };
        for (long n = 1; ; n++)
        {
            CrashWriting.Send(output, 'B', n);
            environment.BuildIndexesAsync(KilledTable.Indexed, build).GetAwaiter().GetResult();
            CrashWriting.Send(output, 'E', n);
            using WriteTransaction transaction = environment.BeginWrite();
            transaction.OpenTable(KilledTable.Plain);
            transaction.Commit();
        }
    }
}

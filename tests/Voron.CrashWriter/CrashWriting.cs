using System.Buffers.Binary;
using Voron.Storage;

namespace Voron.CrashWriter;

/// <summary>
/// The victim: one thread commits transactions of a known script, another one runs checkpoints without rest. Every message on standard
/// output is nine bytes: a letter and a number. 'A' n: transaction n is acknowledged; 'B' and 'E': a checkpoint begins and ends.
/// </summary>
public static class CrashWriting
{
    /// <summary>Bytes of one message.</summary>
    public const int MessageBytes = 9;

    /// <summary>Kinds of databases. A seed that this number divides has one without pending entries and spill files.</summary>
    public const int Kinds = 3;

    /// <summary>Runs until the process is killed.</summary>
    public static int Run(string folder, ulong seed)
    {
        using Stream output = Console.OpenStandardOutput();
        using StorageEnvironment environment = StorageEnvironment.Open(folder, OptionsOf(seed));
        Thread flusher = new(() => RunCheckpoints(environment, output)) { IsBackground = true };
        flusher.Start();
        new Thread(EndWithParent) { IsBackground = true }.Start();
        while (true)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            Tree tree = transaction.OpenTree("data");
            long number = CrashScript.LastIn(tree.AsReadTree()) + 1;
            CrashScript.Apply(tree, seed, number);
            transaction.Commit();
            Send(output, 'A', number);
        }
    }

    /// <summary>
    /// Of three seeds, one has no pending entries, one has them in memory and in files from the first put on, and one has them in a
    /// write-optimized tree.
    /// </summary>
    private static StorageOptions OptionsOf(ulong seed)
    {
        const int PendingBytes = 40_000;
        ulong kind = seed % Kinds;
        return new StorageOptions
        {
            JournalSoftLimitBytes = 1 << 20,
            Engine = kind == 0
                ? new()
                : new() { PendingBytes = PendingBytes, PendingLayerBytes = 4 * PendingBytes, WriteOptimizesAll = kind == 2 },
        };
    }

    /// <summary>
    /// Standard input ends when the other end is gone; nobody is left to be told anything then, and nobody would stop this process.
    /// </summary>
    internal static void EndWithParent()
    {
        using Stream input = Console.OpenStandardInput();
        while (input.ReadByte() >= 0)
        {
        }

        Environment.Exit(3);
    }

    private static void RunCheckpoints(StorageEnvironment environment, Stream output)
    {
        for (long n = 1; ; n++)
        {
            Send(output, 'B', n);
            environment.Checkpoint();
            Send(output, 'E', n);
            Thread.Sleep(20);
        }
    }

    internal static void Send(Stream output, char letter, long number)
    {
        Span<byte> message = stackalloc byte[MessageBytes];
        message[0] = (byte)letter;
        BinaryPrimitives.WriteInt64LittleEndian(message[1..], number);
        lock (output)
        {
            output.Write(message);
            output.Flush();
        }
    }
}

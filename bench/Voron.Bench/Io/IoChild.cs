using System.Globalization;
using System.Text.Json;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;

namespace Voron.Bench.Io;

/// <summary>
/// What a process of its own commits, so that its calls can be traced; it tells on its output where what counts begins and ends.
/// </summary>
/// <param name="Engine">Which store.</param>
/// <param name="IsAsItComes">Whether the store has its default settings instead of those it is compared with.</param>
/// <param name="Folder">The database's folder.</param>
/// <param name="Order">Order of the keys.</param>
/// <param name="ValueBytes">Bytes of a value.</param>
/// <param name="Transactions">Commits that count; as many come before.</param>
/// <param name="CountsDevice">
/// Whether it prints the bytes that the block device wrote; only without a trace, whose text is written as well.
/// </param>
internal sealed record IoChild(
    string Engine, bool IsAsItComes, string Folder, KeyOrder Order, int ValueBytes, int Transactions, bool CountsDevice)
{
    /// <summary>Holds the child's work, as JSON; set by the process that traces.</summary>
    internal const string Variable = "VORON_BENCH_IO";

    /// <summary>How the line begins that tells the bytes of the device.</summary>
    internal const string DeviceWord = "device bytes ";

    private const int PutsPerTransaction = 100;

    internal static void Run(string order) => JsonSerializer.Deserialize<IoChild>(order)!.Run();

    /// <summary>What the variable must hold.</summary>
    internal string ToText() => JsonSerializer.Serialize(this);

    private void Run()
    {
        StoreKind kind = StoreKinds.Find(Engine);
        DataSet data = new(Transactions * 2 * PutsPerTransaction, 1, ValueBytes);
        BlockDevice? device = CountsDevice ? BlockDevice.Under(Path.GetDirectoryName(Folder)!) : null;
        using IStore store = IsAsItComes ? kind.OpenAsItComes(Folder) : kind.Open(Folder);
        using IStoreWriter writer = store.OpenWriter();

        // As many before: the first commits make files, and code that is not compiled yet slows them.
        Commit(writer, data, 0);
        long? before = device?.WrittenBytes;
        Console.WriteLine(IoTrace.BeginMark);
        Commit(writer, data, Transactions);
        Console.WriteLine(IoTrace.EndMark);
        if (device is not null)
        {
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{DeviceWord}{device.WrittenBytes - before}"));
        }
    }

    private void Commit(IStoreWriter writer, DataSet data, int first)
    {
        for (int transaction = first; transaction < first + Transactions; transaction++)
        {
            writer.Begin();
            for (int item = transaction * PutsPerTransaction; item < (transaction + 1) * PutsPerTransaction; item++)
            {
                writer.Put(data.Key(Order, item), data.Value(item));
            }

            writer.Commit();
            Console.WriteLine(IoTrace.CommitMark);
        }
    }
}

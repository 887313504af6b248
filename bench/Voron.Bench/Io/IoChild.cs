using System.Globalization;
using Voron.Bench.Peers;

namespace Voron.Bench.Io;

/// <summary>The process that is traced: it fills a database, tells on its output where what counts begins and ends, and ends.</summary>
internal static class IoChild
{
    /// <summary>Says which engine, folder, order of keys, value bytes and number of transactions; set by the one who traces.</summary>
    internal const string Variable = "VORON_BENCH_IO";

    private const int PutsPerTransaction = 100;
    private const char Separator = '|';

    internal static string Order(string engine, string folder, KeyOrder order, int valueBytes, int transactions) =>
        string.Join(Separator, engine, folder, order, valueBytes, transactions);

    internal static int Run(string order)
    {
        string[] parts = order.Split(Separator);
        StoreKind kind = StoreKinds.All.Single(kind => kind.Name == parts[0]);
        KeyOrder keys = Enum.Parse<KeyOrder>(parts[2]);
        int transactions = int.Parse(parts[4], CultureInfo.InvariantCulture);
        DataSet data = new(transactions * 2 * PutsPerTransaction, 1, int.Parse(parts[3], CultureInfo.InvariantCulture));
        using IStore store = kind.Open(parts[1]);
        using IStoreWriter writer = store.OpenWriter();

        // As many before: the first commits make files, and code that is not compiled yet slows them.
        Commit(writer, data, keys, 0, transactions);
        long before = Machine.DeviceBytes;
        Console.WriteLine(IoTrace.BeginMark);
        Commit(writer, data, keys, transactions, transactions);
        Console.WriteLine(IoTrace.EndMark);
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"device bytes {Machine.DeviceBytes - before}"));
        return 0;
    }

    private static void Commit(IStoreWriter writer, DataSet data, KeyOrder order, int first, int transactions)
    {
        for (int transaction = first; transaction < first + transactions; transaction++)
        {
            writer.Begin();
            for (int item = transaction * PutsPerTransaction; item < (transaction + 1) * PutsPerTransaction; item++)
            {
                writer.Put(data.Key(order, item), data.Value(item));
            }

            writer.Commit();
        }
    }
}

using Voron.Storage;

namespace Voron.Bench;

/// <summary>The reads that are timed. Each returns the number of items it met and throws when that is not what was written.</summary>
internal sealed class ReadWork(StorageEnvironment environment, DataSet data, int items)
{
    private const int ItemsPerPosition = 10;

    /// <summary>Gets every item once, in the given order, from one snapshot.</summary>
    internal long Get(int[] order)
    {
        using ReadTransaction transaction = environment.BeginRead();
        ReadTree tree = Fill.OpenTree(transaction);
        long met = 0;
        foreach (int item in order)
        {
            // The value's last byte is looked at: a get that does not touch the value is not what anybody does.
            if (tree.TryGet(data.Key(KeyOrder.Random, item), out ReadOnlySpan<byte> value) && value[^1] == data.Value(item)[^1])
            {
                met++;
            }
        }

        return Demand("random get", met, order.Length);
    }

    /// <summary>Walks over all entries.</summary>
    internal long Scan()
    {
        using ReadTransaction transaction = environment.BeginRead();
        long met = 0;
        long bytes = 0;
        foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in Fill.OpenTree(transaction))
        {
            bytes += key.Length + value.Length;
            met++;
        }

        Demand("full scan, bytes", bytes, (long)items * (DataSet.KeyBytes + DataSet.ValueBytes));
        return Demand("full scan", met, items);
    }

    /// <summary>Goes to each of the keys and reads ten entries from there on; returns the number of positions.</summary>
    internal long Seek(int[] order)
    {
        using ReadTransaction transaction = environment.BeginRead();
        ReadTree tree = Fill.OpenTree(transaction);
        long right = 0;
        foreach (int item in order)
        {
            int met = 0;
            ReadOnlySpan<byte> from = data.Key(KeyOrder.Random, item);
            foreach ((ReadOnlySpan<byte> key, _) in tree.From(from))
            {
                if (met == 0 && key.SequenceEqual(from))
                {
                    right++;
                }

                if (++met == ItemsPerPosition)
                {
                    break;
                }
            }
        }

        return Demand("position", right, order.Length);
    }

    private static long Demand(string what, long met, long expected) =>
        met == expected ? met : throw new VerificationException($"{what}: {met:N0} right, {expected:N0} expected.");
}

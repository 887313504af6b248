using Voron.Storage;

namespace Voron.Bench;

/// <summary>The reads that are timed. Each returns the number of items it met and throws when that is not what was written.</summary>
internal sealed class ReadWork(StorageEnvironment environment, int items)
{
    private const int ItemsPerPosition = 10;

    /// <summary>Gets every key that is asked for from one snapshot.</summary>
    internal long Get(Questions questions)
    {
        using ReadTransaction transaction = environment.BeginRead();
        ReadTree tree = Fill.OpenTree(transaction);
        long met = 0;
        for (int place = 0; place < questions.Count; place++)
        {
            // The value's last byte is looked at: a get that does not touch the value is not what anybody does.
            if (tree.TryGet(questions.Key(place), out ReadOnlySpan<byte> value) && questions.IsAnswer(place, value))
            {
                met++;
            }
        }

        return Demand("random get", met, questions.Count);
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
    internal long Seek(Questions questions)
    {
        using ReadTransaction transaction = environment.BeginRead();
        ReadTree tree = Fill.OpenTree(transaction);
        long right = 0;
        for (int place = 0; place < questions.Count; place++)
        {
            int met = 0;
            ReadOnlySpan<byte> from = questions.Key(place);
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

        return Demand("position", right, questions.Count);
    }

    private static long Demand(string what, long met, long expected) =>
        met == expected ? met : throw new VerificationException($"{what}: {met:N0} right, {expected:N0} expected.");
}

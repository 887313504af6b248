using Voron.Storage;

namespace Voron.Bench.Peers;

/// <summary>The reads that are timed, of our engine: with its own loops, which take no detour over a reader.</summary>
internal sealed class OurReads(StorageEnvironment environment)
{
    private const int ItemsPerPosition = PeerStore<LmdbReader>.ItemsPerPosition;
    private const int KeysAtOnce = 8;

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

        return met;
    }

    internal long Match(Questions questions)
    {
        using ReadTransaction transaction = environment.BeginRead();
        ReadTree tree = Fill.OpenTree(transaction);
        long met = 0;
        for (int place = 0; place < questions.Count; place++)
        {
            met += tree.TryGet(questions.Key(place), out ReadOnlySpan<byte> value) && questions.IsWholeAnswer(place, value) ? 1 : 0;
        }

        return met;
    }

    /// <summary>Gets the same keys eight at a time.</summary>
    internal long GetMany(Questions questions, ReadOnlyMemory<byte>[] keys)
    {
        using ReadTransaction transaction = environment.BeginRead();
        ReadTree tree = Fill.OpenTree(transaction);
        long met = 0;
        for (int first = 0; first < keys.Length; first += KeysAtOnce)
        {
            foreach (TreeLookup found in tree.GetMany(keys.AsSpan(first, Math.Min(KeysAtOnce, keys.Length - first))))
            {
                met += found.Exists && questions.IsAnswer(first + found.Index, found.Value) ? 1 : 0;
            }
        }

        return met;
    }

    internal ScanResult Scan()
    {
        using ReadTransaction transaction = environment.BeginRead();
        long met = 0;
        long bytes = 0;
        foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in Fill.OpenTree(transaction))
        {
            bytes += key.Length + value.Length;
            met++;
        }

        return new ScanResult(met, bytes);
    }

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

        return right;
    }
}

namespace Voron.Bench.Peers;

/// <summary>
/// The reads that are timed, the same loop for each peer; a reader is a structure, so that its calls are compiled into the loop.
/// </summary>
internal abstract class PeerStore<TReader> : IStore
    where TReader : struct, IStoreReader
{
    internal const int ItemsPerPosition = 10;

    public virtual long? AllocatedBytes => null;

    public abstract IStoreWriter OpenWriter();

    public abstract void Dispose();

    public long Get(Questions questions)
    {
        TReader reader = OpenReader();
        long met = 0;
        for (int place = 0; place < questions.Count; place++)
        {
            // The value's last byte is looked at: a get that does not touch the value is not what anybody does.
            if (reader.TryGet(questions.Key(place), out ReadOnlySpan<byte> value) && questions.IsAnswer(place, value))
            {
                met++;
            }
        }

        reader.Dispose();
        return met;
    }

    public long Match(Questions questions)
    {
        TReader reader = OpenReader();
        long met = 0;
        for (int place = 0; place < questions.Count; place++)
        {
            if (reader.TryGet(questions.Key(place), out ReadOnlySpan<byte> value) && questions.IsWholeAnswer(place, value))
            {
                met++;
            }
        }

        reader.Dispose();
        return met;
    }

    public ScanResult Scan()
    {
        TReader reader = OpenReader();
        long met = 0;
        long bytes = 0;
        for (bool found = reader.MoveFirst(); found; found = reader.MoveNext())
        {
            bytes += reader.Key.Length + reader.Value.Length;
            met++;
        }

        reader.Dispose();
        return new ScanResult(met, bytes);
    }

    public long Seek(Questions questions)
    {
        TReader reader = OpenReader();
        long right = 0;
        for (int place = 0; place < questions.Count; place++)
        {
            bool found = reader.Seek(questions.Key(place));
            right += found && reader.Key.SequenceEqual(questions.Key(place)) ? 1 : 0;
            for (int met = 1; found && met < ItemsPerPosition; met++)
            {
                found = reader.MoveNext();
            }
        }

        reader.Dispose();
        return right;
    }

    public virtual void Load(DataSet data)
    {
        using IStoreWriter writer = OpenWriter();
        Load(writer, data);
    }

    /// <summary>All items in key order in one transaction.</summary>
    protected static void Load(IStoreWriter writer, DataSet data)
    {
        writer.Begin();
        for (int item = 0; item < data.Items; item++)
        {
            writer.Put(data.Key(KeyOrder.Ascending, item), data.Value(item));
        }

        writer.Commit();
    }

    /// <summary>A reader at the newest snapshot.</summary>
    protected abstract TReader OpenReader();
}

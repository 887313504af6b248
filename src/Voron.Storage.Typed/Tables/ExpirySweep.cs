namespace Voron.Storage.Typed.Tables;

/// <summary>Deletes expired rows, some in each transaction.</summary>
internal sealed class ExpirySweep
{
    private readonly TableShape _shape;
    private readonly int _ordinal;
    private readonly int _most;

    /// <summary>The first key in the index behind those that have expired.</summary>
    private readonly byte[] _end;

    internal ExpirySweep(TableShape shape, DateTimeOffset now, int most)
    {
        _ordinal = Array.FindIndex(shape.Use(), static index => index.Kind == IndexKind.Expiry);
        if (_ordinal < 0)
        {
            Throw.NoExpiry(shape.Name);
        }

        _shape = shape;
        _end = [.. KeyBytes.Kept(KeyCodec.DateTimeOffset, now), 0];
        _most = most;
    }

    internal async Task<long> RunAsync(StorageEnvironment environment, CancellationToken cancellationToken)
    {
        long total = 0;
        while (HasExpired(environment))
        {
            int deleted = await environment.WriteAsync(static (transaction, sweep) => sweep.Delete(transaction), this, cancellationToken)
                .ConfigureAwait(false);
            total += deleted;
            if (deleted < _most)
            {
                break;
            }
        }

        return total;
    }

    /// <summary>Looks in a read transaction first, so that a sweep without work writes nothing.</summary>
    private bool HasExpired(StorageEnvironment environment)
    {
        using ReadTransaction read = environment.BeginRead();
        return TableReader.TryOpen(read, _shape) is { } table && Expired(table, 1).Count > 0;
    }

    private int Delete(WriteTransaction transaction)
    {
        TableWriter table = new(transaction, _shape);
        int deleted = 0;
        foreach (byte[] key in Expired(table.ToReader(), _most))
        {
            deleted += table.Delete(key) ? 1 : 0;
        }

        return deleted;
    }

    /// <summary>Primary keys of rows that have expired, those that expired first before others.</summary>
    private List<byte[]> Expired(TableReader table, int most)
    {
        List<byte[]> keys = [];
        using IndexCursor expired = new(table.OpenIndex(_ordinal), [], _end, isReversed: false);
        while (keys.Count < most && expired.MoveNext())
        {
            keys.Add(expired.PrimaryKey.ToArray());
        }

        return keys;
    }
}

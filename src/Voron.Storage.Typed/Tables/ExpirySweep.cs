namespace Voron.Storage.Typed.Tables;

/// <summary>Deletes expired rows, some in each transaction.</summary>
internal sealed class ExpirySweep<TKey, TRow>
{
    private readonly TableDefinition<TKey, TRow> _definition;
    private readonly Index<TRow, DateTimeOffset> _expiry;
    private readonly DateTimeOffset _now;
    private readonly int _most;

    internal ExpirySweep(TableDefinition<TKey, TRow> definition, DateTimeOffset now, int most)
    {
        RowIndex<TRow>? expiry = Array.Find(definition.Indexes.Use(), static index => index.Kind == IndexKind.Expiry);
        if (expiry is null)
        {
            Throw.NoExpiry(definition.Name);
        }

        _definition = definition;
        _expiry = (Index<TRow, DateTimeOffset>)expiry;
        _now = now;
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
        if (!read.TryOpenTable(_definition, out ReadTable<TKey, TRow>? table))
        {
            return false;
        }

        using IndexKeys<TKey, TRow, DateTimeOffset>.Enumerator expired = table.By(_expiry).UpTo(_now).Keys.GetEnumerator();
        return expired.MoveNext();
    }

    private int Delete(WriteTransaction transaction)
    {
        Table<TKey, TRow> table = transaction.OpenTable(_definition);
        List<TKey> keys = [];
        foreach (TKey key in table.By(_expiry).UpTo(_now).Keys)
        {
            if (keys.Count == _most)
            {
                break;
            }

            keys.Add(key);
        }

        int deleted = 0;
        foreach (TKey key in keys)
        {
            deleted += table.Delete(key) ? 1 : 0;
        }

        return deleted;
    }
}

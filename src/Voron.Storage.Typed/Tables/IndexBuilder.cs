using System.Diagnostics;

namespace Voron.Storage.Typed.Tables;

/// <summary>
/// Builds one index of a table. A pass reads the rows of a snapshot, sorts the keys in memory, and adds them in this order, some in each
/// transaction. Meanwhile writers maintain the index for all rows, so that no entry of it is ever wrong; rows that they change are looked
/// at again. What is known of the progress is in the database: two builders of one index only share the work.
/// </summary>
internal sealed class IndexBuilder(StorageEnvironment environment, TableShape shape, int ordinal, IndexBuild build)
{
    private readonly RowReader _reader = shape.CreateReader();
    private readonly IIndexShape _index = shape.Use()[ordinal];
    private readonly KeyList _keys = new();
    private readonly BuildChunk _chunk = new();

    private enum State
    {
        More,
        PassIsOver,
        Ready,
        Failed,
    }

    /// <summary>Builds the index to its end.</summary>
    internal async Task RunAsync(Action<double> report, CancellationToken cancellationToken)
    {
        while (await BeginAsync(cancellationToken).ConfigureAwait(false) is { } pass)
        {
            using (pass)
            {
                await Task.Run(() => Read(pass, cancellationToken), cancellationToken).ConfigureAwait(false);
                if (await AddAllAsync(pass, report, cancellationToken).ConfigureAwait(false) == State.Ready)
                {
                    return;
                }
            }
        }

        report(1);
    }

    /// <summary>Begins a pass; null if the index is ready.</summary>
    private async Task<BuildPass?> BeginAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        using WriteTransaction transaction = await environment.BeginWriteAsync(cancellationToken).ConfigureAwait(false);
        BuildPass? pass = Begin(transaction);
        try
        {
            // A lazy commit would not be visible while an earlier one is still written, and the snapshot that is read next would miss the
            // rows of that one, which knew of no index.
            await transaction.CommitAsync(CommitMode.Durable, CancellationToken.None).ConfigureAwait(false);
            return pass;
        }
        catch
        {
            pass?.Dispose();
            throw;
        }
    }

    private BuildPass? Begin(WriteTransaction transaction)
    {
        TableOpening table = new(transaction, shape);
        IndexStatus status = table.State[ordinal];
        if (status.State == IndexState.Ready)
        {
            return null;
        }

        if (status.State != IndexState.Building)
        {
            status = new IndexStatus(IndexState.Building);
            table.Create(ordinal);
            table.Store(table.State.With(shape, ordinal, status));
        }

        // While this transaction is open, so that no writer is before the marks and behind the snapshot.
        return new BuildPass(shape.Name, status.Key, build.MemoryBytes);
    }

    private void Read(BuildPass pass, CancellationToken cancellationToken)
    {
        using ReadTransaction read = environment.BeginRead();
        if (read.TryOpenTree(shape.Name, out ReadTree rows))
        {
            pass.Read(rows, _reader, ordinal, cancellationToken);
        }
    }

    private async Task<State> AddAllAsync(BuildPass pass, Action<double> report, CancellationToken cancellationToken)
    {
        BuildRest rest = new();
        long last = long.MaxValue - 1;
        State state;
        do
        {
            cancellationToken.ThrowIfCancellationRequested();
            TimeSpan held;
            bool isNext;
            using (WriteTransaction transaction = await environment.BeginWriteAsync(cancellationToken).ConfigureAwait(false))
            {
                long began = Stopwatch.GetTimestamp();
                isNext = transaction.TransactionId <= last + 1;
                last = transaction.TransactionId;
                state = Advance(transaction, pass, out byte[] duplicate);

                // The last one is durable, and with it all others.
                CommitMode mode = state == State.More ? CommitMode.Lazy : CommitMode.Durable;
                await transaction.CommitAsync(mode, CancellationToken.None).ConfigureAwait(false);
                held = Stopwatch.GetElapsedTime(began);
                if (state == State.Failed)
                {
                    Throw.NotUnique(shape.Name, _index.Name, _index.Decode(duplicate), isBuild: true);
                }
            }

            report(state == State.Ready ? 1 : pass.Fraction);
            if (state == State.More)
            {
                await rest.AfterAsync(held, isNext, cancellationToken).ConfigureAwait(false);
            }
        }
        while (state == State.More);
        return state;
    }

    /// <summary>Adds the next entries.</summary>
    private State Advance(WriteTransaction transaction, BuildPass pass, out byte[] duplicate)
    {
        duplicate = [];
        TableOpening table = new(transaction, shape);
        IndexStatus status = table.State[ordinal];
        if (status.State == IndexState.Ready)
        {
            return State.Ready;
        }

        if (status.State != IndexState.Building || !pass.TryMoveBehind(status.Key))
        {
            return State.PassIsOver;
        }

        IndexTree tree = table.Trees[ordinal];
        long began = Stopwatch.GetTimestamp();
        for (int left = build.RowsPerTransaction; pass.HasNext && left > 0; left -= _chunk.Count)
        {
            int wrong = AddChunk(table.Rows, tree, pass, left);
            if (wrong >= 0)
            {
                duplicate = pass.KeyAt(wrong).ToArray();
                table.Drop(_index.Name);
                table.Store(table.State.With(shape, ordinal, new IndexStatus(IndexState.Failed, duplicate)));
                return State.Failed;
            }

            pass.Move(_chunk.Count);
            if (Stopwatch.GetElapsedTime(began) >= build.TimePerTransaction)
            {
                break;
            }
        }

        bool isReady = !pass.HasNext && !pass.IsCut;
        status = isReady ? new IndexStatus(IndexState.Ready) : new IndexStatus(IndexState.Building, pass.Position);
        table.Store(table.State.With(shape, ordinal, status));
        return isReady ? State.Ready : pass.HasNext ? State.More : State.PassIsOver;
    }

    /// <summary>
    /// Adds the next entries that their rows still have; returns one whose key the index has for another row, or −1.
    /// </summary>
    private int AddChunk(Tree rows, IndexTree tree, BuildPass pass, int most)
    {
        _chunk.Begin(pass, most);
        for (int entry = 0; entry < _chunk.Count; entry++)
        {
            if (pass.IsMarkedAt(entry) && !HasKey(rows, pass.PrimaryKeyAt(entry), pass.KeyAt(entry)))
            {
                _chunk.LeaveOut(entry);
            }
        }

        return _chunk.Add(pass, tree);
    }

    private bool HasKey(Tree rows, ReadOnlySpan<byte> primaryKey, ReadOnlySpan<byte> key)
    {
        if (!rows.TryGet(primaryKey, out ReadOnlySpan<byte> row))
        {
            return false;
        }

        _keys.Clear();
        _reader.Read(row);
        _reader.AddKeys(ordinal, _keys);
        for (int at = 0; at < _keys.Count; at++)
        {
            if (_keys.KeyAt(at).SequenceEqual(key))
            {
                return true;
            }
        }

        return false;
    }
}

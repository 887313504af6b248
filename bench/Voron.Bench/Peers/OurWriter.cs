using Voron.Storage;
using Tree = Voron.Storage.Tree;

namespace Voron.Bench.Peers;

/// <summary>Write transactions of our engine; asynchronous ones when some may be in flight.</summary>
internal sealed class OurWriter(StorageEnvironment environment, CommitMode mode, int mostInFlight) : IStoreWriter
{
    private readonly Queue<ValueTask> _flying = new(mostInFlight);
    private WriteTransaction _transaction;
    private Tree _tree;

    public void Begin()
    {
        _transaction = environment.BeginWrite();
        _tree = Fill.OpenTree(_transaction);
    }

    public void Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) => _tree.Put(key, value);

    public void Delete(ReadOnlySpan<byte> key) => _tree.Delete(key);

    public void Commit()
    {
        if (mostInFlight == 0)
        {
            _transaction.Commit(mode);
            return;
        }

        if (_flying.Count == mostInFlight)
        {
            _flying.Dequeue().AsTask().GetAwaiter().GetResult();
        }

#pragma warning disable CA2012 // Many commits are in flight together; each is awaited once, in its turn.
        _flying.Enqueue(_transaction.CommitAsync(mode));
#pragma warning restore CA2012
    }

    public void Finish()
    {
        while (_flying.TryDequeue(out ValueTask commit))
        {
            commit.AsTask().GetAwaiter().GetResult();
        }
    }

    public void Dispose() => _transaction.Dispose();
}

using System.Collections.Immutable;

namespace Voron.Simulation.Crashes;

/// <summary>
/// What a database must hold after every transaction that ever was started, by its id. Old contents stay, since they share their parts.
/// </summary>
internal sealed class Model
{
    private readonly List<ImmutableSortedDictionary<byte[], byte[]>> _contents;
    private readonly long _firstTransaction;

    internal Model()
        : this(0, ImmutableSortedDictionary.Create<byte[], byte[]>(KeyOrder.Instance))
    {
    }

    private Model(long transaction, ImmutableSortedDictionary<byte[], byte[]> content)
    {
        _firstTransaction = transaction;
        _contents = [content];
    }

    internal long LastTransaction => _firstTransaction + _contents.Count - 1;

    /// <summary>The content after this transaction; null when no such one was started.</summary>
    internal ImmutableSortedDictionary<byte[], byte[]>? At(long transaction) =>
        transaction >= _firstTransaction && transaction <= LastTransaction ? _contents[(int)(transaction - _firstTransaction)] : null;

    /// <summary>Starts the next transaction and gives its id.</summary>
    internal long Start(WorkloadTransaction transaction)
    {
        ImmutableSortedDictionary<byte[], byte[]>.Builder content = _contents[^1].ToBuilder();
        foreach (WorkloadChange change in transaction.Changes)
        {
            if (change.End is { } end)
            {
                content.RemoveRange([.. content.Keys.Where(key => IsIn(key, change.Key, end))]);
            }
            else if (change.Value is null)
            {
                content.Remove(change.Key);
            }
            else
            {
                content[change.Key] = change.Value;
            }
        }

        _contents.Add(content.ToImmutable());
        return LastTransaction;
    }

    private static bool IsIn(byte[] key, byte[] from, byte[] end) =>
        KeyOrder.Instance.Compare(key, from) >= 0 && KeyOrder.Instance.Compare(key, end) < 0;

    /// <summary>Takes the last one back: it changed nothing, and the subject gave it no id.</summary>
    internal void TakeBackLast() => _contents.RemoveAt(_contents.Count - 1);

    /// <summary>A history that begins with the content after this transaction, as a recovery left it.</summary>
    internal Model From(long transaction) => new(transaction, At(transaction)!);
}

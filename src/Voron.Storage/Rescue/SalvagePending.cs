using System.Text;
using Voron.Storage.Format;
using Voron.Storage.Journal;

namespace Voron.Storage.Rescue;

/// <summary>
/// Collects what was pending at the checkpoint that is salvaged: the last operation of each key in the transactions up to it. All of it is
/// kept in memory, as it was when the database was open.
/// </summary>
/// <param name="since">For each tree with pending entries, by its name, the first transaction of which entries may be pending.</param>
/// <param name="target">Gets them.</param>
internal sealed class SalvagePending(IReadOnlyDictionary<string, TransactionId> since, SalvageTarget target)
{
    private static readonly Comparer<byte[]> Order = Comparer<byte[]>.Create(static (a, b) => a.AsSpan().SequenceCompareTo(b));

    private readonly Dictionary<string, SortedDictionary<byte[], byte[]?>> _trees = [];
    private SortedDictionary<byte[], byte[]?>? _tree;

    /// <summary>The first transaction of which an entry of any tree may be pending.</summary>
    internal TransactionId Since => since.Count == 0 ? TransactionId.AfterAll : since.Values.Min();

    /// <summary>Applies an operation of a transaction.</summary>
    internal void Apply(in RedoReader redo, TransactionId transaction)
    {
        switch (redo.Operation)
        {
            case RedoOperation.SelectTree:
                Select(redo.Key, transaction);
                break;
            case RedoOperation.CreateTree or RedoOperation.CreateTreeOf:
                Begin(redo.Key, transaction);
                break;
            case RedoOperation.RenameTree:
                Begin(redo.Value, transaction);
                break;
            case RedoOperation.Put when _tree is not null:
                _tree[redo.Key.ToArray()] = redo.Value.ToArray();
                break;
            case RedoOperation.Delete when _tree is not null:
                _tree[redo.Key.ToArray()] = null;
                break;
            case RedoOperation.PutPlaced when _tree is not null:
                // The leaves have it.
                _tree.Remove(redo.Key.ToArray());
                break;
            case RedoOperation.DeleteRange when _tree is not null:
                byte[] from = redo.Key.ToArray();
                byte[] to = redo.Value.ToArray();
                foreach (byte[] key in _tree.Keys.Where(key => Order.Compare(from, key) <= 0 && Order.Compare(key, to) < 0).ToList())
                {
                    _tree.Remove(key);
                }

                break;
        }
    }

    /// <summary>Puts what was collected into the target, over what the leaves have.</summary>
    internal void Write()
    {
        foreach ((string name, SortedDictionary<byte[], byte[]?> entries) in _trees)
        {
            byte[] tree = Encoding.Latin1.GetBytes(name);
            foreach ((byte[] key, byte[]? value) in entries)
            {
                if (value is null)
                {
                    target.Delete(tree, key);
                }
                else
                {
                    target.Put(tree, key, value);
                }
            }
        }

        _trees.Clear();
    }

    /// <summary>A tree gets this name: what the transaction did to another tree of the name before is not of this one.</summary>
    private void Begin(ReadOnlySpan<byte> name, TransactionId transaction)
    {
        SortedDictionary<byte[], byte[]?>? selected = _tree;
        Select(name, transaction);
        _tree?.Clear();
        _tree = selected;
    }

    private void Select(ReadOnlySpan<byte> name, TransactionId transaction)
    {
        string text = Encoding.Latin1.GetString(name);
        _tree = null;
        if (since.TryGetValue(text, out TransactionId first) && first <= transaction && !_trees.TryGetValue(text, out _tree))
        {
            _tree = _trees[text] = new SortedDictionary<byte[], byte[]?>(Order);
        }
    }
}

using FluentAssertions;
using Voron.Storage.Tests.Trees;

namespace Voron.Storage.Tests.Doors;

/// <content>Savepoints within a transaction, each beside a copy of what the model was like.</content>
internal sealed partial class OperationRun
{
    private readonly Stack<(Savepoint Savepoint, SortedDictionary<byte[], byte[]> Model, string Name, Tree Tree)> _savepoints = new();

    private void UseSavepoints(WriteTransaction transaction, ref Tree tree)
    {
        int dice = _random.Next(8);
        if (dice < 3 || _savepoints.Count == 0)
        {
            SortedDictionary<byte[], byte[]> copy = new(_model, ByteOrder.Instance);
            _savepoints.Push((transaction.CreateSavepoint(), copy, _name, tree));
            return;
        }

        int depth = _random.Next(_savepoints.Count);
        while (depth-- > 0)
        {
            _savepoints.Pop();
        }

        if (dice < 5)
        {
            transaction.Release(_savepoints.Pop().Savepoint);
            return;
        }

        if (_random.Next(4) == 0)
        {
            ChangeTree(transaction, ref tree);
        }

        // It stays, and a roll-back to it after a roll-back to it finds the same.
        (Savepoint savepoint, SortedDictionary<byte[], byte[]> model, _name, tree) = _savepoints.Peek();
        _model = new SortedDictionary<byte[], byte[]>(model, ByteOrder.Instance);
        transaction.RollbackTo(savepoint);
        transaction.TreeNames.Should().Equal(_name);
        TreeCounts.Compare(tree, _model.Count);
        if (_random.Next(5) == 0)
        {
            Compare(tree, [.. _model]);
        }
    }
}

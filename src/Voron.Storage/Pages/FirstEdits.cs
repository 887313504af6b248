using Voron.Storage.Format;

namespace Voron.Storage.Pages;

/// <summary>Counts the nodes that are changed for the first time since a transaction.</summary>
internal sealed class FirstEdits
{
    private TransactionId _from;

    internal long Count { get; private set; }

    /// <summary>Begins to count anew: changes of nodes that no transaction from this one on has changed before.</summary>
    internal void CountFrom(TransactionId transaction)
    {
        Count = 0;
        _from = transaction;
    }

    /// <summary>Notes the change of a node that this transaction has changed last.</summary>
    internal void Note(TransactionId changedBy) => Count += changedBy < _from ? 1 : 0;
}

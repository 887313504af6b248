using Voron.Storage.Format;

namespace Voron.Storage.Engine;

/// <summary>What a record of a transaction's redo is, apart from the redo itself.</summary>
/// <param name="TransactionId">The transaction.</param>
/// <param name="Fragment">Number of fragments of the transaction before it.</param>
/// <param name="IsLast">Whether it is the commit record.</param>
internal readonly record struct RedoRecord(TransactionId TransactionId, uint Fragment, bool IsLast)
{
    /// <summary>Whether the transaction begins with it.</summary>
    internal bool IsFirst => Fragment == 0;
}

using Voron.Storage.Format;

namespace Voron.Storage.Engine;

/// <summary>What a part of a transaction's redo is, apart from the redo itself.</summary>
/// <param name="TransactionId">The transaction.</param>
/// <param name="Fragment">Number of fragments of the transaction before it.</param>
/// <param name="IsLast">Whether it ends the transaction: it is the commit record, or the last part of it.</param>
/// <param name="GoesOn">Whether the record that it is of has further parts.</param>
/// <param name="IsContent">
/// Whether it is not redo but a piece of a value that the next operation names: the value's length in 8 bytes, and the piece.
/// </param>
internal readonly record struct RedoRecord(
    TransactionId TransactionId, uint Fragment, bool IsLast, bool GoesOn = false, bool IsContent = false);

using Voron.Storage.Format;

namespace Voron.Storage.Journal;

/// <summary>
/// One record of a transaction's redo body: a fragment, or the commit record that ends it. No operation goes over its end. The bytes are
/// valid until the next part is read.
/// </summary>
internal readonly ref struct TransactionPart
{
    internal required TransactionId Id { get; init; }

    internal required ReadOnlySpan<byte> Body { get; init; }

    /// <summary>
    /// The body begins here. What came before of this id, and had no commit record, belongs to a transaction that was rolled back or
    /// never committed.
    /// </summary>
    internal required bool IsFirst { get; init; }

    /// <summary>The commit record: without it the parts before count for nothing.</summary>
    internal required bool IsLast { get; init; }
}

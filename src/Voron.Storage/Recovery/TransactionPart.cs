using Voron.Storage.Format;

namespace Voron.Storage.Recovery;

/// <summary>
/// One record of a transaction's redo body: a fragment, or the commit record that ends it. No operation extends past its end. The bytes
/// are valid until the next part is read.
/// </summary>
internal readonly ref struct TransactionPart
{
    internal required TransactionId Id { get; init; }

    internal required ReadOnlySpan<byte> Body { get; init; }

    /// <summary>
    /// Whether the body begins here. Earlier parts with this id, without a commit record, belong to a transaction that was rolled back
    /// or never committed.
    /// </summary>
    internal required bool IsFirst { get; init; }

    /// <summary>Whether this is the commit record, without which the earlier parts are ignored.</summary>
    internal required bool IsLast { get; init; }
}

using Voron.Storage.Format;

namespace Voron.Storage.Pages;

/// <summary>A placed run.</summary>
/// <param name="Transaction">The transaction that placed it.</param>
/// <param name="End">One more than its last page.</param>
/// <param name="Count">Number of pages.</param>
internal readonly record struct PlacedEnd(TransactionId Transaction, PageNumber End, long Count);

namespace Voron.Storage.Typed;

/// <summary>Writes one of the keys of a row of bytes in an index and returns its length; −1 when the row has no more keys.</summary>
/// <param name="row">The row. The result may depend on nothing but it and the number.</param>
/// <param name="number">Which key: 0, then 1 and so on, until the result is −1. The same key twice counts once.</param>
/// <param name="key">Room for the key.</param>
public delegate int RawManySelector(ReadOnlySpan<byte> row, int number, Span<byte> key);

namespace Voron.Storage.Typed;

/// <summary>Writes the key of a row of bytes in an index and returns its length; −1 when the row is not in the index.</summary>
/// <param name="row">The row. The result may depend on nothing else.</param>
/// <param name="key">Room for the key.</param>
public delegate int RawSelector(ReadOnlySpan<byte> row, Span<byte> key);

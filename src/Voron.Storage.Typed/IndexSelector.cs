namespace Voron.Storage.Typed;

/// <summary>Gives the key of a row in an index; false when the row is not in it.</summary>
/// <typeparam name="TRow">The type of rows.</typeparam>
/// <typeparam name="TIndexKey">The type of the index's keys.</typeparam>
/// <param name="row">The row. The result may depend on nothing else.</param>
/// <param name="key">The key; when the result is false it is not used, and may be null.</param>
public delegate bool IndexSelector<in TRow, TIndexKey>(TRow row, out TIndexKey key);

namespace Voron.Storage.Typed;

/// <summary>
/// Two rows would have the same key in a unique index. From a change of a row: nothing changed, and the transaction can go on. From
/// <see cref="TableMaintenance.BuildIndexesAsync{TKey, TRow}"/>: the index was dropped, and the rows are as they were.
/// </summary>
public sealed class UniqueIndexException : TableException
{
    internal UniqueIndexException(string table, string index, object key, bool isBuild)
        : base(table, isBuild
            ? $"The index '{index}' of the table '{table}' cannot be built: two rows have the key {key}, and it is unique. The index was "
                + "dropped. Change one of the rows and build again."
            : $"Another row of the table '{table}' has the key {key} in the unique index '{index}'; nothing changed. Change that row "
                + "first, or give this one another key.")
    {
        Index = index;
        Key = key;
    }

    /// <summary>The name of the index.</summary>
    public string Index { get; }

    /// <summary>The key in the index.</summary>
    public object Key { get; }
}

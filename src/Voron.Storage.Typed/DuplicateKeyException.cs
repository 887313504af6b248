namespace Voron.Storage.Typed;

/// <summary>A row with this primary key exists. Nothing changed, and the transaction can go on.</summary>
public sealed class DuplicateKeyException : TableException
{
    internal DuplicateKeyException(string table, object key)
        : base(table, $"The table '{table}' has a row with the key {key}; nothing changed. Put replaces it, TryInsert leaves it.") =>
        Key = key;

    /// <summary>The primary key.</summary>
    public object Key { get; }
}

namespace Voron.Storage.Typed;

/// <summary>The index is declared, but not built in this database, or not to its end.</summary>
public sealed class IndexNotBuiltException : TableException
{
    internal IndexNotBuiltException(string table, string index, string why)
        : base(table, $"The index '{index}' of the table '{table}' cannot be used: {why} Build it by BuildIndexesAsync.") => Index = index;

    /// <summary>The name of the index.</summary>
    public string Index { get; }
}

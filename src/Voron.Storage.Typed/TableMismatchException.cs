namespace Voron.Storage.Typed;

/// <summary>The database has the table, or an index of it, in another form than the definition says.</summary>
public sealed class TableMismatchException : TableException
{
    internal TableMismatchException(string table, string stored, string declared, string remedy)
        : base(table, $"The table '{table}' has {stored}; the definition says {declared}. {remedy}")
    {
        Stored = stored;
        Declared = declared;
    }

    /// <summary>What is stored, in words.</summary>
    public string Stored { get; }

    /// <summary>What the definition says, in words.</summary>
    public string Declared { get; }
}

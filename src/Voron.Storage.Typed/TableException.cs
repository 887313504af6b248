namespace Voron.Storage.Typed;

/// <summary>Base class of the faults that tables report.</summary>
public abstract class TableException : Exception
{
    private protected TableException(string table, string message)
        : base(message) => Table = table;

    /// <summary>The name of the table.</summary>
    public string Table { get; }
}

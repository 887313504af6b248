using System.Diagnostics.CodeAnalysis;
using System.Text;
using Voron.Storage.Typed.Tables;

namespace Voron.Storage.Typed;

/// <summary>Opens and drops tables.</summary>
public static class TableTransactions
{
    /// <summary>
    /// Opens a table, creating it if it is missing. Indexes of a new or empty table are ready at once; indexes that the database has and
    /// the definition has not are dropped.
    /// </summary>
    /// <exception cref="TableMismatchException">The database has it with other codecs, or an index of another kind.</exception>
    public static Table<TKey, TRow> OpenTable<TKey, TRow>(
        this WriteTransaction transaction, TableDefinition<TKey, TRow> definition) => new(transaction, definition);

    /// <summary>Opens a table for reading.</summary>
    /// <exception cref="TreeNotFoundException">There is none.</exception>
    /// <exception cref="TableMismatchException">The database has it with other codecs, or an index of another kind.</exception>
    public static ReadTable<TKey, TRow> OpenTable<TKey, TRow>(
        this ReadTransaction transaction, TableDefinition<TKey, TRow> definition)
    {
        ArgumentNullException.ThrowIfNull(definition);
        return new ReadTable<TKey, TRow>(definition, TableReader.Open(transaction, definition.Shape));
    }

    /// <summary>Opens a table for reading; false when there is none.</summary>
    /// <exception cref="TableMismatchException">The database has it with other codecs, or an index of another kind.</exception>
    public static bool TryOpenTable<TKey, TRow>(
        this ReadTransaction transaction, TableDefinition<TKey, TRow> definition, [NotNullWhen(true)] out ReadTable<TKey, TRow>? table)
    {
        ArgumentNullException.ThrowIfNull(definition);
        table = TableReader.TryOpen(transaction, definition.Shape) is { } reader ? new ReadTable<TKey, TRow>(definition, reader) : null;
        return table is not null;
    }

    /// <summary>Drops a table with its rows, indexes and sequence; false when there is none.</summary>
    public static bool DropTable<TKey, TRow>(this WriteTransaction transaction, TableDefinition<TKey, TRow> definition)
    {
        ArgumentNullException.ThrowIfNull(definition);
        return Drop(transaction, definition.Name);
    }

    /// <summary>Opens a table of bytes, as its typed namesake does.</summary>
    /// <exception cref="TableMismatchException">The database has it with codecs, or an index of another kind.</exception>
    public static RawTable OpenTable(this WriteTransaction transaction, RawTableDefinition definition) => new(transaction, definition);

    /// <summary>Opens a table of bytes for reading.</summary>
    /// <exception cref="TreeNotFoundException">There is none.</exception>
    /// <exception cref="TableMismatchException">The database has it with codecs, or an index of another kind.</exception>
    public static ReadRawTable OpenTable(this ReadTransaction transaction, RawTableDefinition definition)
    {
        ArgumentNullException.ThrowIfNull(definition);
        return new ReadRawTable(definition, TableReader.Open(transaction, definition.Shape));
    }

    /// <summary>Opens a table of bytes for reading; false when there is none.</summary>
    /// <exception cref="TableMismatchException">The database has it with codecs, or an index of another kind.</exception>
    public static bool TryOpenTable(
        this ReadTransaction transaction, RawTableDefinition definition, [NotNullWhen(true)] out ReadRawTable? table)
    {
        ArgumentNullException.ThrowIfNull(definition);
        table = TableReader.TryOpen(transaction, definition.Shape) is { } reader ? new ReadRawTable(definition, reader) : null;
        return table is not null;
    }

    /// <summary>Drops a table of bytes with its rows, indexes and sequence; false when there is none.</summary>
    public static bool DropTable(this WriteTransaction transaction, RawTableDefinition definition)
    {
        ArgumentNullException.ThrowIfNull(definition);
        return Drop(transaction, definition.Name);
    }

    private static bool Drop(WriteTransaction transaction, string table)
    {
        BuildMarks.MarkAll(table);
        byte[] name = Encoding.UTF8.GetBytes(table);
        if (transaction.TryOpenTree(TableNames.Tables, out Tree tables) && tables.TryGet(name, out ReadOnlySpan<byte> record))
        {
            foreach (TableRecord.StoredIndex index in TableRecord.Read(table, record, out _))
            {
                transaction.DropTree(TableNames.OfIndex(table, index.Name));
            }

            tables.Delete(name);
        }

        if (transaction.TryOpenTree(TableNames.Sequences, out Tree sequences))
        {
            sequences.Delete(name);
        }

        return transaction.DropTree(table);
    }
}

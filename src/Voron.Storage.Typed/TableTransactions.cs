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
        return Open(transaction, definition, transaction.OpenTree(definition.Tree));
    }

    /// <summary>Opens a table for reading; false when there is none.</summary>
    /// <exception cref="TableMismatchException">The database has it with other codecs, or an index of another kind.</exception>
    public static bool TryOpenTable<TKey, TRow>(
        this ReadTransaction transaction, TableDefinition<TKey, TRow> definition, [NotNullWhen(true)] out ReadTable<TKey, TRow>? table)
    {
        ArgumentNullException.ThrowIfNull(definition);
        table = transaction.TryOpenTree(definition.Tree, out ReadTree<TKey, TRow> rows) ? Open(transaction, definition, rows) : null;
        return table is not null;
    }

    /// <summary>Drops a table with its rows, indexes and sequence; false when there is none.</summary>
    public static bool DropTable<TKey, TRow>(this WriteTransaction transaction, TableDefinition<TKey, TRow> definition)
    {
        ArgumentNullException.ThrowIfNull(definition);
        byte[] name = Encoding.UTF8.GetBytes(definition.Name);
        if (transaction.TryOpenTree(TableNames.Tables, out Tree tables) && tables.TryGet(name, out ReadOnlySpan<byte> record))
        {
            foreach (TableRecord.StoredIndex index in TableRecord.Read(definition.Name, record, out _))
            {
                transaction.DropTree(TableNames.OfIndex(definition.Name, index.Name));
            }

            tables.Delete(name);
        }

        if (transaction.TryOpenTree(TableNames.Sequences, out Tree sequences))
        {
            sequences.Delete(name);
        }

        return transaction.DropTree(definition.Name);
    }

    private static ReadTable<TKey, TRow> Open<TKey, TRow>(
        ReadTransaction transaction, TableDefinition<TKey, TRow> definition, ReadTree<TKey, TRow> rows)
    {
        Span<byte> name = stackalloc byte[256];
        name = name[..Encoding.UTF8.GetBytes(definition.Name, name)];
        ReadOnlySpan<byte> record = default;
        bool isKnown = transaction.TryOpenTree(TableNames.Tables, out ReadTree tables) && tables.TryGet(name, out record);
        return new ReadTable<TKey, TRow>(
            definition, isKnown ? TableState.Read(definition, record) : TableState.Empty(definition), rows, transaction);
    }
}

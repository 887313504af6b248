using Voron.Storage.Typed.Tables;

namespace Voron.Storage.Typed;

/// <summary>
/// What a table is: its name, its codecs, where the key is in a row, and its indexes. Made once, kept in a static field, used by all
/// transactions.
/// </summary>
/// <typeparam name="TKey">The type of primary keys.</typeparam>
/// <typeparam name="TRow">The type of rows.</typeparam>
public sealed class TableDefinition<TKey, TRow>
{
    /// <summary>Defines a table without indexes; <see cref="Indexes"/> takes them.</summary>
    /// <param name="name">The name of the table, which is that of the tree of its rows. No '@' at the beginning, and no '/'.</param>
    /// <param name="keys">How primary keys become bytes.</param>
    /// <param name="rows">How rows become bytes.</param>
    /// <param name="key">The primary key of a row. The result may depend on nothing but the row.</param>
    public TableDefinition(string name, IKeyCodec<TKey> keys, IValueCodec<TRow> rows, Func<TRow, TKey> key)
    {
        ArgumentNullException.ThrowIfNull(key);
        TableNames.CheckTable(name);
        Tree = new TreeDefinition<TKey, TRow>(name, keys, rows);
        Key = key;
        Indexes = new IndexList<TRow>(name);
        Shape = new TypedShape<TKey, TRow>(this);
    }

    /// <summary>The name of the table.</summary>
    public string Name => Tree.Name;

    /// <summary>How primary keys become bytes.</summary>
    public IKeyCodec<TKey> Keys => Tree.Keys;

    /// <summary>How rows become bytes.</summary>
    public IValueCodec<TRow> Rows => Tree.Values;

    /// <summary>The primary key of a row.</summary>
    public Func<TRow, TKey> Key { get; }

    /// <summary>The indexes.</summary>
    public IndexList<TRow> Indexes { get; }

    /// <summary>Whether one of the indexes says when rows expire.</summary>
    public bool HasExpiry => Indexes.Any(static index => index.Kind == IndexKind.Expiry);

    /// <summary>The rows as a tree.</summary>
    internal TreeDefinition<TKey, TRow> Tree { get; }

    /// <summary>The table without its types.</summary>
    internal TypedShape<TKey, TRow> Shape { get; }
}

namespace Voron.Storage.Typed.Tables;

/// <summary>
/// A table without the types of its rows: what it takes to keep rows and indexes together as bytes. One for each definition.
/// </summary>
internal abstract class TableShape(string name)
{
    /// <summary>Number of times that a transaction stored another state; a table that was opened before looks again.</summary>
    internal int Changes;

    internal string Name { get; } = name;

    /// <summary>The name of the codec of primary keys, which is stored.</summary>
    internal abstract string KeyCodec { get; }

    /// <summary>Length of primary keys; null when it depends on the key.</summary>
    internal abstract int? FixedKeyBytes { get; }

    /// <summary>What was stored of the table when it was last opened, in whatever database: mostly it is the same again.</summary>
    internal TableState? Last { get; set; }

    /// <summary>The indexes for a transaction; from now on none is added.</summary>
    internal abstract IIndexShape[] Use();

    /// <summary>Adds the keys of a stored row in the indexes that are maintained.</summary>
    internal abstract void AddKeys(ReadOnlySpan<byte> row, TableState state, KeyList keys);

    /// <summary>Makes a reader for work on all rows.</summary>
    internal abstract RowReader CreateReader();
}

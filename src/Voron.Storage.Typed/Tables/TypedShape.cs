namespace Voron.Storage.Typed.Tables;

/// <summary>The shape of a table with codecs.</summary>
internal sealed class TypedShape<TKey, TRow>(TableDefinition<TKey, TRow> definition) : TableShape(definition.Name)
{
    internal override string KeyCodec => definition.Keys.Name;

    internal override int? FixedKeyBytes => definition.Keys.FixedBytes;

    internal override IIndexShape[] Use() => definition.Indexes.Use();

    internal override void AddKeys(ReadOnlySpan<byte> row, TableState state, KeyList keys)
    {
        if (definition.Indexes.Count > 0)
        {
            AddKeys(definition.Rows.Decode(row), state, keys);
        }
    }

    /// <summary>The same for a row that has been read.</summary>
    internal void AddKeys(TRow row, TableState state, KeyList keys)
    {
        for (int ordinal = 0; ordinal < definition.Indexes.Count; ordinal++)
        {
            if (state[ordinal].IsMaintained)
            {
                definition.Indexes[ordinal].AddKeys(row, ordinal, keys);
            }
        }
    }

    internal override RowReader CreateReader() => new Reader(definition);

    private sealed class Reader(TableDefinition<TKey, TRow> definition) : RowReader
    {
        private TRow? _row;

        internal override void Read(ReadOnlySpan<byte> row) => _row = definition.Rows.Decode(row);

        internal override bool IsOf(ReadOnlySpan<byte> primaryKey) =>
            KeyBytes.Kept(definition.Keys, definition.Key(_row!)).AsSpan().SequenceEqual(primaryKey);

        internal override void AddKeys(int ordinal, KeyList keys) => definition.Indexes[ordinal].AddKeys(_row!, ordinal, keys);
    }
}

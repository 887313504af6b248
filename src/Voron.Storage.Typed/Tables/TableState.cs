namespace Voron.Storage.Typed.Tables;

/// <summary>What a database has of a table, compared with the definition. Immutable: definitions keep the last one.</summary>
internal sealed class TableState
{
    private readonly IndexStatus[] _statuses;

    private TableState(IndexStatus[] statuses, List<string> undeclared, byte[] record)
    {
        _statuses = statuses;
        Undeclared = undeclared;
        Record = record;
    }

    /// <summary>What is stored.</summary>
    internal byte[] Record { get; }

    /// <summary>Stored indexes that the definition does not have.</summary>
    internal IReadOnlyList<string> Undeclared { get; }

    /// <summary>The status of an index by its place in the definition.</summary>
    internal IndexStatus this[int ordinal] => _statuses[ordinal];

    /// <summary>Without any index.</summary>
    internal static TableState Empty<TKey, TRow>(TableDefinition<TKey, TRow> definition) =>
        Of(definition, new IndexStatus[definition.Indexes.Count]);

    /// <exception cref="TableMismatchException">A codec or a kind is another one than the definition says.</exception>
    internal static TableState Read<TKey, TRow>(TableDefinition<TKey, TRow> definition, ReadOnlySpan<byte> record)
    {
        if (definition.Last is { } last && record.SequenceEqual(last.Record))
        {
            return last;
        }

        RowIndex<TRow>[] declared = definition.Indexes.Use();
        List<TableRecord.StoredIndex> stored = TableRecord.Read(definition.Name, record, out string keyCodec);
        if (keyCodec != definition.Keys.Name)
        {
            Throw.OtherKeys(definition.Name, keyCodec, definition.Keys.Name);
        }

        IndexStatus[] statuses = new IndexStatus[declared.Length];
        List<string> undeclared = [];
        foreach (TableRecord.StoredIndex index in stored)
        {
            int ordinal = Array.FindIndex(declared, one => one.Name == index.Name);
            if (ordinal < 0)
            {
                undeclared.Add(index.Name);
            }
            else if (declared[ordinal] is var same && (same.Kind != index.Kind || same.Codec != index.Codec))
            {
                Throw.OtherIndex(definition.Name, index.Name, $"{index.Kind} by {index.Codec}", $"{same.Kind} by {same.Codec}");
            }
            else
            {
                statuses[ordinal] = index.Status;
            }
        }

        TableState state = new(statuses, undeclared, record.ToArray());
        definition.Last = state;
        return state;
    }

    /// <summary>The same with another status of one index.</summary>
    internal TableState With<TKey, TRow>(TableDefinition<TKey, TRow> definition, int ordinal, IndexStatus status)
    {
        IndexStatus[] statuses = [.. _statuses];
        statuses[ordinal] = status;
        return Of(definition, statuses);
    }

    internal TableState WithoutUndeclared<TKey, TRow>(TableDefinition<TKey, TRow> definition) => Of(definition, _statuses);

    private static TableState Of<TKey, TRow>(TableDefinition<TKey, TRow> definition, IndexStatus[] statuses)
    {
        RowIndex<TRow>[] declared = definition.Indexes.Use();
        List<TableRecord.StoredIndex> stored = [];
        for (int ordinal = 0; ordinal < declared.Length; ordinal++)
        {
            if (statuses[ordinal].State != IndexState.Missing)
            {
                RowIndex<TRow> index = declared[ordinal];
                stored.Add(new TableRecord.StoredIndex(index.Name, index.Codec, index.Kind, statuses[ordinal]));
            }
        }

        return new TableState(statuses, [], TableRecord.Write(definition.Keys.Name, stored));
    }
}

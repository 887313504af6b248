namespace Voron.Storage.Typed.Tables;

/// <summary>What a database has of a table, compared with the definition. Immutable: shapes keep the last one.</summary>
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

    /// <summary>Stored indexes that the definition does not have, or that cannot be built on.</summary>
    internal IReadOnlyList<string> Undeclared { get; }

    /// <summary>The status of an index by its place in the definition.</summary>
    internal IndexStatus this[int ordinal] => _statuses[ordinal];

    /// <summary>Whether a build needs to know what changes.</summary>
    internal bool IsBuilding => Array.Exists(_statuses, static status => status.State == IndexState.Building);

    /// <summary>Without any index.</summary>
    internal static TableState Empty(TableShape shape) =>
        Of(shape, new IndexStatus[shape.Use().Length]);

    /// <exception cref="TableMismatchException">A codec or a kind is another one than the definition says.</exception>
    internal static TableState Read(TableShape shape, ReadOnlySpan<byte> record)
    {
        if (shape.Last is { } last && record.SequenceEqual(last.Record))
        {
            return last;
        }

        IIndexShape[] declared = shape.Use();
        List<TableRecord.StoredIndex> stored = TableRecord.Read(shape.Name, record, out string keyCodec);
        if (keyCodec != shape.KeyCodec)
        {
            Throw.OtherKeys(shape.Name, keyCodec, shape.KeyCodec);
        }

        IndexStatus[] statuses = new IndexStatus[declared.Length];
        List<string> undeclared = [];
        foreach (TableRecord.StoredIndex index in stored)
        {
            int ordinal = Array.FindIndex(declared, one => one.Name == index.Name);
            if (ordinal < 0 || index.Status.State == IndexState.Outdated)
            {
                undeclared.Add(index.Name);
            }
            else if (declared[ordinal] is var same && (same.Kind != index.Kind || same.Codec != index.Codec))
            {
                Throw.OtherIndex(shape.Name, index.Name, $"{index.Kind} by {index.Codec}", $"{same.Kind} by {same.Codec}");
            }
            else
            {
                statuses[ordinal] = index.Status;
            }
        }

        TableState state = new(statuses, undeclared, record.ToArray());
        shape.Last = state;
        return state;
    }

    /// <summary>The same with another status of one index.</summary>
    internal TableState With(TableShape shape, int ordinal, IndexStatus status)
    {
        IndexStatus[] statuses = [.. _statuses];
        statuses[ordinal] = status;
        return Of(shape, statuses);
    }

    internal TableState WithoutUndeclared(TableShape shape) => Of(shape, _statuses);

    private static TableState Of(TableShape shape, IndexStatus[] statuses)
    {
        IIndexShape[] declared = shape.Use();
        List<TableRecord.StoredIndex> stored = [];
        for (int ordinal = 0; ordinal < declared.Length; ordinal++)
        {
            if (statuses[ordinal].State != IndexState.Missing)
            {
                IIndexShape index = declared[ordinal];
                stored.Add(new TableRecord.StoredIndex(index.Name, index.Codec, index.Kind, statuses[ordinal]));
            }
        }

        return new TableState(statuses, [], TableRecord.Write(shape.KeyCodec, stored));
    }
}

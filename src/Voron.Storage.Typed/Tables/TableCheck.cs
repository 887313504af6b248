namespace Voron.Storage.Typed.Tables;

/// <summary>Compares the rows of a table with its indexes, both ways.</summary>
internal sealed class TableCheck(TableReader table, int most, CancellationToken cancellationToken)
{
    private readonly List<TableFinding> _findings = [];
    private readonly KeyList _keys = new();
    private readonly RowReader _reader = table.Shape.CreateReader();
    private readonly IIndexShape[] _indexes = table.Shape.Use();

    private bool IsFull => _findings.Count >= most;

    internal IReadOnlyList<TableFinding> Run()
    {
        ReadIndexTree?[] trees = new ReadIndexTree?[_indexes.Length];
        for (int ordinal = 0; ordinal < trees.Length && !IsFull; ordinal++)
        {
            if (table.State[ordinal].State is IndexState.Ready or IndexState.Building)
            {
                if (table.TryOpen(ordinal, out ReadIndexTree tree))
                {
                    trees[ordinal] = tree;
                }
                else
                {
                    Find(TableFindingKind.MissingIndex, ordinal, [], "its tree does not exist");
                }
            }
        }

        CheckRows(trees);
        for (int ordinal = 0; ordinal < trees.Length; ordinal++)
        {
            if (trees[ordinal] is { } tree)
            {
                CheckEntries(ordinal, tree);
            }
        }

        return _findings;
    }

    /// <summary>Each row is where its selectors say.</summary>
    private void CheckRows(ReadIndexTree?[] trees)
    {
        foreach (TreeEntry entry in table.Rows)
        {
            if (IsFull)
            {
                return;
            }

            cancellationToken.ThrowIfCancellationRequested();
            if (!TryRead(entry.Value, entry.Key))
            {
                continue;
            }

            for (int ordinal = 0; ordinal < trees.Length; ordinal++)
            {
                if (trees[ordinal] is { } tree && TryReadKeys(ordinal, entry.Key))
                {
                    for (int i = 0; i < _keys.Count && !IsFull; i++)
                    {
                        bool isDemanded = table.State[ordinal].Demands(_keys.KeyAt(i), entry.Key);
                        if (isDemanded && !tree.Contains(_keys.KeyAt(i), entry.Key))
                        {
                            Find(TableFindingKind.MissingEntry, ordinal, entry.Key, $"has no entry {Text(_keys.KeyAt(i))} for the row");
                        }
                    }
                }
            }
        }
    }

    /// <summary>Each entry belongs to a row that has its key.</summary>
    private void CheckEntries(int ordinal, ReadIndexTree tree)
    {
        using IndexCursor entries = new(tree, [], null, isReversed: false);
        while (!IsFull && entries.MoveNext())
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (!table.Rows.TryGet(entries.PrimaryKey, out ReadOnlySpan<byte> stored))
            {
                Find(TableFindingKind.StrayEntry, ordinal, entries.PrimaryKey, $"has an entry {Text(entries.Key)} for a missing row");
            }
            else if (!HasKey(stored, ordinal, entries.Key))
            {
                Find(TableFindingKind.StrayEntry, ordinal, entries.PrimaryKey, $"has an entry {Text(entries.Key)} that the row has not");
            }
        }
    }

    private bool HasKey(ReadOnlySpan<byte> stored, int ordinal, ReadOnlySpan<byte> key)
    {
        try
        {
            _reader.Read(stored);
            ReadKeys(ordinal);
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            // A row that cannot be read is a finding of its own.
            return true;
        }

        for (int i = 0; i < _keys.Count; i++)
        {
            if (_keys.KeyAt(i).SequenceEqual(key))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Codecs are the user's: whatever they throw for a row is a finding.</summary>
    private bool TryRead(ReadOnlySpan<byte> stored, ReadOnlySpan<byte> key)
    {
        try
        {
            _reader.Read(stored);
            if (_reader.IsOf(key))
            {
                return true;
            }

            Find(TableFindingKind.BadRow, -1, key, "the row has another key than the one that it is stored under");
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            Find(TableFindingKind.BadRow, -1, key, $"the row cannot be read: {error.Message}");
        }

        return false;
    }

    /// <summary>As codecs, selectors are the user's.</summary>
    private bool TryReadKeys(int ordinal, ReadOnlySpan<byte> key)
    {
        try
        {
            ReadKeys(ordinal);
            return true;
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            Find(TableFindingKind.BadRow, ordinal, key, $"the row has no keys for it: {error.Message}");
            return false;
        }
    }

    private void ReadKeys(int ordinal)
    {
        _keys.Clear();
        _reader.AddKeys(ordinal, _keys);
    }

    private void Find(TableFindingKind kind, int ordinal, ReadOnlySpan<byte> key, string what)
    {
        string? index = ordinal < 0 ? null : _indexes[ordinal].Name;
        string where = index is null ? $"Table '{table.Shape.Name}'" : $"Index '{index}' of table '{table.Shape.Name}'";
        string row = kind == TableFindingKind.MissingIndex ? string.Empty : $", primary key {Text(key)}";
        _findings.Add(new TableFinding(kind, index, key.ToArray(), $"{where}{row}: {what}."));
    }

    private static string Text(ReadOnlySpan<byte> key) => $"0x{Convert.ToHexString(key)}";
}

using Voron.Storage.Typed.Tables;

namespace Voron.Storage.Typed;

/// <summary>Rows of bytes and their indexes as one transaction sees them. Spans are valid as long as those of the tree of rows.</summary>
public sealed class ReadRawTable
{
    private readonly RawTableDefinition _definition;
    private readonly TableReader _reader;

    internal ReadRawTable(RawTableDefinition definition, TableReader reader)
    {
        _definition = definition;
        _reader = reader;
    }

    /// <summary>Number of rows.</summary>
    public long Count => _reader.Rows.Count;

    /// <summary>The rows by their primary keys: ranges, cursors and all else that a tree has.</summary>
    public ReadTree Rows => _reader.Rows;

    /// <summary>Finds a row.</summary>
    public bool TryGet(ReadOnlySpan<byte> key, out ReadOnlySpan<byte> row) => _reader.Rows.TryGet(key, out row);

    /// <summary>True when the row exists; it is not read.</summary>
    public bool Contains(ReadOnlySpan<byte> key) => _reader.Rows.Contains(key);

    /// <summary>The rows by one of the table's indexes.</summary>
    /// <exception cref="IndexNotBuiltException">The index is not built to its end in this database.</exception>
    /// <exception cref="ArgumentException">It is not an index of this table.</exception>
    public RawIndexView By(RawIndex index) => new(_reader, index, _reader.OpenIndex(_definition.OrdinalOf(index)));

    /// <inheritdoc cref="ReadTable{TKey, TRow}.Check"/>
    public IReadOnlyList<TableFinding> Check(int most = 1_000, CancellationToken cancellationToken = default) =>
        _reader.Check(most, cancellationToken);
}

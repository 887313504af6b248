namespace Voron.Storage.Typed.Tables;

/// <summary>The shape of a table of bytes.</summary>
internal sealed class RawShape(string name, RawTableDefinition definition) : TableShape(name)
{
    internal override string KeyCodec =>
        definition.KeyBytes is { } bytes ? $"{bytes} {RawIndex.CodecName}" : RawIndex.CodecName;

    internal override int? FixedKeyBytes => definition.KeyBytes;

    internal override IIndexShape[] Use() => definition.Use();

    internal override void AddKeys(ReadOnlySpan<byte> row, TableState state, KeyList keys)
    {
        RawIndex[] indexes = definition.Use();
        for (int ordinal = 0; ordinal < indexes.Length; ordinal++)
        {
            if (state[ordinal].IsMaintained)
            {
                indexes[ordinal].AddKeys(row, ordinal, keys);
            }
        }
    }

    internal override RowReader CreateReader() => new Reader(definition.Use());

    /// <summary>Keeps a copy of the row, which has no other form.</summary>
    private sealed class Reader(RawIndex[] indexes) : RowReader
    {
        private byte[] _row = [];
        private int _length;

        internal override void Read(ReadOnlySpan<byte> row)
        {
            if (_row.Length < row.Length)
            {
                _row = new byte[Math.Max(row.Length, 2 * _row.Length)];
            }

            row.CopyTo(_row);
            _length = row.Length;
        }

        /// <summary>A row of bytes does not say what its key is.</summary>
        internal override bool IsOf(ReadOnlySpan<byte> primaryKey) => true;

        internal override void AddKeys(int ordinal, KeyList keys) => indexes[ordinal].AddKeys(_row.AsSpan(0, _length), ordinal, keys);
    }
}

namespace Voron.Storage.Typed.Tables;

/// <summary>Reads stored rows, one after the other. Codecs and selectors are the user's, so each call may throw anything.</summary>
internal abstract class RowReader
{
    /// <summary>Reads a row, which the other calls are about.</summary>
    internal abstract void Read(ReadOnlySpan<byte> row);

    /// <summary>False when the row itself has another primary key than this one.</summary>
    internal abstract bool IsOf(ReadOnlySpan<byte> primaryKey);

    /// <summary>Adds the keys of the row in the index at this place.</summary>
    internal abstract void AddKeys(int ordinal, KeyList keys);
}

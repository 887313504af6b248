using Voron.Storage.Format;

namespace Voron.Storage.Checks;

/// <summary>Checks the rows of a tree whose rows are blocks, in the order of their keys.</summary>
internal abstract class BlockCheck
{
    /// <summary>Returns the check for the blocks of a tree; null if its rows are entries.</summary>
    internal static BlockCheck? Of(in TreeRecord record) => record.Kind switch
    {
        TreeKind.Multi => new PairCheck(record.ValueBytes, record.RootPage),
        TreeKind.Fixed => new ColumnCheck(record.Shape),
        _ => null,
    };

    /// <summary>Takes the next block; returns its number of entries, and what is wrong with it.</summary>
    /// <param name="key">The key of the row.</param>
    /// <param name="value">Its value.</param>
    /// <param name="high">Keys of the leaf are below this; null: no bound.</param>
    /// <param name="problem">Null if nothing is wrong.</param>
    internal abstract long Take(byte[] key, ReadOnlySpan<byte> value, byte[]? high, out string? problem);
}

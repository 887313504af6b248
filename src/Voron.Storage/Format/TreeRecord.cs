using System.Runtime.InteropServices;

namespace Voron.Storage.Format;

/// <summary>Value of a catalog entry; its key is the tree's name.</summary>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal struct TreeRecord
{
    internal const int SizeBytes = 32;

    /// <summary>Length of the record of a tree without pending entries: all but the last field. Otherwise steps follow it.</summary>
    internal const int ShortBytes = 24;

    [FieldOffset(0)] internal TreeKind Kind;

    /// <summary>Of a fixed-size tree: the type of its keys; otherwise 0.</summary>
    [FieldOffset(1)] internal FixedKeyKind KeyKind;

    /// <summary>Of a multi-value tree: length of every value, or 0xFFFF; of a fixed-size tree: that length; otherwise 0.</summary>
    [FieldOffset(2)] internal ushort ValueBytes;

    /// <summary>Zero.</summary>
    [FieldOffset(4)] internal uint Reserved1;

    /// <summary>Stays the same while the tree lives.</summary>
    [FieldOffset(8)] internal PageNumber RootPage;

    /// <summary>Entries of the tree; of a multi-value tree: pairs; of a write-optimized one: entries that the leaves have.</summary>
    [FieldOffset(16)] internal long EntryCount;

    /// <summary>
    /// If not 0, entries of the tree are pending: the leaves do not have what transactions from this one on have changed, unless merged
    /// since. The journal has it.
    /// </summary>
    [FieldOffset(24)] internal TransactionId PendingSince;

    /// <summary>Length of the record in bytes.</summary>
    internal readonly int Bytes => PendingSince == TransactionId.None ? ShortBytes : SizeBytes;

    internal TreeShape Shape
    {
        readonly get => new(Kind, ValueBytes, KeyKind);
        init => (Kind, ValueBytes, KeyKind) = (value.Kind, value.ValueBytes, value.KeyKind);
    }

    /// <summary>Reads a record; false if the bytes are none.</summary>
    internal static bool TryRead(ReadOnlySpan<byte> value, out TreeRecord record)
    {
        record = default;
        bool isRecord = value.Length is ShortBytes or >= SizeBytes;
        if (isRecord)
        {
            value[..Math.Min(value.Length, SizeBytes)].CopyTo(MemoryMarshal.AsBytes(new Span<TreeRecord>(ref record)));
        }

        return isRecord && record.Bytes == Math.Min(value.Length, SizeBytes);
    }
}

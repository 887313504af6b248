using System.Runtime.InteropServices;

namespace Voron.Storage.Format;

/// <summary>
/// Begins a block of a fixed-size tree, which is the value of a row. The room behind it is divided into two columns, keys and values, each
/// of which has places for as many entries as the length of the block has room for. The places behind the last entry mean nothing.
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal struct FixedHead
{
    internal const int SizeBytes = 4;

    /// <summary>The only value of <see cref="Version"/>.</summary>
    internal const byte CurrentVersion = 1;

    /// <summary>Version of the layout.</summary>
    [FieldOffset(0)] internal byte Version;

    /// <summary>Zero.</summary>
    [FieldOffset(1)] internal byte Reserved;

    /// <summary>Entries of the block, at least 1.</summary>
    [FieldOffset(2)] internal ushort Count;
}

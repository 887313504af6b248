using System.Runtime.InteropServices;

namespace Voron.Storage.Format;

/// <summary>What a leaf entry holds instead of a value that lives in an overflow run.</summary>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal struct OverflowReference
{
    internal const int SizeBytes = 16;

    [FieldOffset(0)] internal long FirstPage;

    [FieldOffset(8)] internal long ValueBytes;
}

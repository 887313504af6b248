// Unsafe fence. Bounds: the address is that of a value that NodeSearch.IsOverflow handed out, Length bytes long; whoever makes a span of it
// guarantees that its transaction still lives and, in a write transaction, has changed nothing since.
namespace Voron.Storage.Trees;

/// <summary>Where a lookup of many found one value.</summary>
internal unsafe struct FoundValue
{
    internal bool Exists;
    internal bool IsOverflow;
    private int _length;
    private byte* _address;

    /// <summary>The value, or (<see cref="IsOverflow"/>) the reference to where it is, which was not looked at.</summary>
    internal readonly ReadOnlySpan<byte> Stored => new(_address, _length);

    internal void Set(ReadOnlySpan<byte> stored, bool isOverflow)
    {
        Exists = true;
        IsOverflow = isOverflow;
        _length = stored.Length;

        // Values lie in native memory or in the map: nothing moves them.
        _address = (byte*)System.Runtime.CompilerServices.Unsafe.AsPointer(
            ref System.Runtime.InteropServices.MemoryMarshal.GetReference(stored));
    }
}

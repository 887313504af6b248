// Unsafe fence. Bounds: the address is that of a value that Node.IsOverflow returned, Length bytes long; a caller that reads the span
// guarantees that its transaction is still open and, in a write transaction, has changed nothing since.
namespace Voron.Storage.Trees;

/// <summary>The location of one value that a lookup of several keys found.</summary>
internal unsafe struct FoundValue
{
    internal bool Exists;
    internal bool IsOverflow;
    private int _length;
    private byte* _address;

    /// <summary>The value or, if <see cref="IsOverflow"/>, the reference to its overflow run, which was not read.</summary>
    internal readonly ReadOnlySpan<byte> Stored => new(_address, _length);

    internal void Set(ReadOnlySpan<byte> stored, bool isOverflow)
    {
        Exists = true;
        IsOverflow = isOverflow;
        _length = stored.Length;

        // Values are in native memory or in the mapped file, so they never move.
        _address = (byte*)System.Runtime.CompilerServices.Unsafe.AsPointer(
            ref System.Runtime.InteropServices.MemoryMarshal.GetReference(stored));
    }
}

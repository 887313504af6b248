// Unsafe fence. Bounds: the address is that of a value that TreeReader.ValueAt handed out, Length bytes long; whoever makes a span of it
// guarantees that its transaction still lives and, in a write transaction, has changed nothing since.
namespace Voron.Storage.Trees;

/// <summary>Where a lookup of many found one value.</summary>
internal unsafe struct FoundValue
{
    internal bool Exists;
    private byte* _address;
    private int _length;

    internal readonly ReadOnlySpan<byte> Value => new(_address, _length);

    internal void Set(ReadOnlySpan<byte> value)
    {
        Exists = true;
        _length = value.Length;

        // Values lie in native memory or in the map: nothing moves them.
        _address = (byte*)System.Runtime.CompilerServices.Unsafe.AsPointer(
            ref System.Runtime.InteropServices.MemoryMarshal.GetReference(value));
    }
}

// Unsafe fence. Bounds: the address is that of a value's piece in the map or in native memory, which never moves; it is accessed only
// within the length it was created with and while its scope is valid.
using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Voron.Storage.Transactions;

/// <summary>A piece of a value as memory that checks on each access whether the value is still valid.</summary>
internal sealed unsafe class ValuePiece : MemoryManager<byte>
{
    private readonly ValueScope _scope;
    private readonly byte* _address;
    private readonly int _length;

    internal ValuePiece(ValueScope scope, ReadOnlySpan<byte> piece)
    {
        _scope = scope;
        _address = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetReference(piece));
        _length = piece.Length;
    }

    public override Memory<byte> Memory => CreateMemory(_length);

    public override Span<byte> GetSpan()
    {
        _scope.Check();
        return new Span<byte>(_address, _length);
    }

    public override MemoryHandle Pin(int elementIndex = 0)
    {
        _scope.Check();
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)elementIndex, (uint)_length);
        return new MemoryHandle(_address + elementIndex);
    }

    public override void Unpin()
    {
        // Native memory is never moved.
    }

    protected override void Dispose(bool disposing)
    {
        // The transaction owns the memory.
    }
}

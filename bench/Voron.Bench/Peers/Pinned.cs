using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Voron.Bench.Peers;

/// <summary>Between spans and the addresses that C libraries want. Memory behind a span must not move while its address is used.</summary>
internal static class Pinned
{
    internal static nint Address(ReadOnlySpan<byte> bytes) =>
        Unsafe.ByteOffset(ref Unsafe.NullRef<byte>(), ref MemoryMarshal.GetReference(bytes));

    internal static ReadOnlySpan<byte> Span(nint address, nint bytes) =>
        MemoryMarshal.CreateReadOnlySpan(ref Unsafe.AddByteOffset(ref Unsafe.NullRef<byte>(), address), checked((int)bytes));
}

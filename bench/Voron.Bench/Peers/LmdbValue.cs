using System.Runtime.InteropServices;

namespace Voron.Bench.Peers;

/// <summary>A key or value as LMDB's C library takes and gives it (MDB_val).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct LmdbValue(ReadOnlySpan<byte> bytes)
{
    internal nint Bytes = bytes.Length;
    internal nint Address = Pinned.Address(bytes);

    internal readonly ReadOnlySpan<byte> Span => Pinned.Span(Address, Bytes);
}

using System.Runtime.InteropServices;

namespace Voron.Bench.Peers;

/// <summary>A key or value as Berkeley DB's C library takes and gives it (DBT).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct BerkeleyItem
{
    private const uint UserMemory = 0x800;

    internal nint Address;
    internal uint Bytes;
    internal uint RoomBytes;
    internal uint PartBytes;
    internal uint PartOffset;
    internal nint Reserved;
    internal uint Flags;

    /// <summary>An item that goes in.</summary>
    internal static BerkeleyItem Of(ReadOnlySpan<byte> bytes) => new() { Address = Pinned.Address(bytes), Bytes = (uint)bytes.Length };

    /// <summary>Room for an item that comes out.</summary>
    internal static BerkeleyItem RoomIn(byte[] pinned) =>
        new() { Address = Pinned.Address(pinned), RoomBytes = (uint)pinned.Length, Flags = UserMemory };

    internal readonly ReadOnlySpan<byte> Span => Pinned.Span(Address, (nint)Bytes);
}

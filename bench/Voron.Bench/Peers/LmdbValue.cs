using System.Runtime.InteropServices;

namespace Voron.Bench.Peers;

/// <summary>A key or value as LMDB's C library takes and gives it (MDB_val).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct LmdbValue(nint address, nint bytes)
{
    internal nint Bytes = bytes;
    internal nint Address = address;

    internal readonly byte LastByte => Marshal.ReadByte(Address, (int)Bytes - 1);
}

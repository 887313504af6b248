using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>struct io_event.</summary>
[StructLayout(LayoutKind.Explicit, Size = 32)]
internal struct QueueEvent
{
    /// <summary>Bytes transferred, or the negative error number.</summary>
    [FieldOffset(16)] internal long Result;
}

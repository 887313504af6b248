using System.Runtime.InteropServices;

namespace Voron.Storage.Platform;

/// <summary>A large piece of native memory, aligned to huge pages where the system has them. Content undefined unless touched (then zero).</summary>
internal sealed unsafe class MemoryRegion : IDisposable
{
    private const int AlignmentBytes = 2 << 20;

    internal MemoryRegion(long bytes, bool touch)
    {
        Bytes = bytes;
        Address = (nint)NativeMemory.AlignedAlloc((nuint)bytes, AlignmentBytes);
        if (touch)
        {
            new Span<byte>((void*)Address, checked((int)bytes)).Clear();
        }
    }

    internal nint Address { get; private set; }

    internal long Bytes { get; }

    public void Dispose()
    {
        NativeMemory.AlignedFree((void*)Address);
        Address = 0;
    }
}

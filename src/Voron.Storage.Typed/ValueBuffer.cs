using System.Buffers;

namespace Voron.Storage.Typed;

/// <summary>
/// Where a value is serialized before it is put: one for each thread, used again. A codec that puts values itself gets another.
/// </summary>
internal static class ValueBuffer
{
    /// <summary>A larger one is not kept: a single long value should not take memory for good.</summary>
    private const int MostKeptBytes = 1 << 20;

    [ThreadStatic]
    private static ArrayBufferWriter<byte>? _free;

    internal static ArrayBufferWriter<byte> Take()
    {
        ArrayBufferWriter<byte> buffer = _free ?? new ArrayBufferWriter<byte>();
        _free = null;
        return buffer;
    }

    internal static void Return(ArrayBufferWriter<byte> buffer)
    {
        if (buffer.Capacity <= MostKeptBytes)
        {
            buffer.ResetWrittenCount();
            _free = buffer;
        }
    }
}

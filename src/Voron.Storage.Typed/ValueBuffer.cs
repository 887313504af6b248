using System.Buffers;

namespace Voron.Storage.Typed;

/// <summary>
/// Where a value is serialized before it is put: two for each thread, used again, because a codec around another one needs the second. A
/// codec that puts values itself gets more.
/// </summary>
internal static class ValueBuffer
{
    /// <summary>A larger one is not kept: a single long value should not take memory for good.</summary>
    private const int MostKeptBytes = 1 << 20;

    [ThreadStatic]
    private static ArrayBufferWriter<byte>? _free;

    [ThreadStatic]
    private static ArrayBufferWriter<byte>? _second;

    internal static ArrayBufferWriter<byte> Take()
    {
        ArrayBufferWriter<byte> buffer = _free ?? new ArrayBufferWriter<byte>();
        _free = _second;
        _second = null;
        return buffer;
    }

    internal static void Return(ArrayBufferWriter<byte> buffer)
    {
        if (buffer.Capacity <= MostKeptBytes)
        {
            buffer.ResetWrittenCount();
            _second = _free;
            _free = buffer;
        }
    }
}

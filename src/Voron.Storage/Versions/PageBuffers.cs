using System.Numerics;
using Voron.Storage.IO;

namespace Voron.Storage.Versions;

/// <summary>
/// Memory for pages that are read by position. A page is valid until the hold under which it was read ends, so a walk of a tree keeps the
/// pages of one path and the current value, and no more.
/// </summary>
internal sealed class PageBuffers : IDisposable
{
    /// <summary>Buffers longer than this are freed at once.</summary>
    private const int LongestKeptBytes = 1 << 20;

    private readonly Stack<AlignedBuffer> _held = new();
    private readonly List<AlignedBuffer> _idle = [];

    /// <summary>Keeps pages read from now on valid until it is disposed; holds end in the reverse order of their beginning.</summary>
    internal Hold Begin() => new(this, _held.Count);

    /// <summary>Returns memory of at least this many bytes.</summary>
    internal nint Take(long bytes)
    {
        int index = _idle.FindIndex(buffer => buffer.LengthBytes >= bytes);
        AlignedBuffer taken;
        if (index >= 0)
        {
            taken = _idle[index];
            _idle.RemoveAt(index);
        }
        else
        {
            taken = AlignedBuffer.AllocateForPages(bytes > LongestKeptBytes ? bytes : (long)BitOperations.RoundUpToPowerOf2((ulong)bytes),
                preFault: false);
        }

        _held.Push(taken);
        return taken.Address;
    }

    public void Dispose()
    {
        Release(0);
        _idle.ForEach(static buffer => buffer.Dispose());
        _idle.Clear();
    }

    private void Release(int count)
    {
        while (_held.Count > count)
        {
            AlignedBuffer buffer = _held.Pop();
            if (buffer.LengthBytes > LongestKeptBytes)
            {
                buffer.Dispose();
            }
            else
            {
                _idle.Add(buffer);
            }
        }
    }

    /// <summary>Holds nothing if pages are read through the map.</summary>
    internal readonly struct Hold(PageBuffers? buffers, int count) : IDisposable
    {
        public void Dispose() => buffers?.Release(count);
    }
}

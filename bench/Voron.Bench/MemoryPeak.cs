using System.Buffers.Text;
using Microsoft.Win32.SafeHandles;

namespace Voron.Bench;

/// <summary>
/// The most memory without a file behind it that the process had since this was made; looked at a hundred times a second. It allocates
/// nothing while it looks: what the process allocates is measured at the same time.
/// </summary>
internal sealed class MemoryPeak : IDisposable
{
    private readonly ManualResetEventSlim _stop = new();
    private readonly SafeFileHandle _pages = File.OpenHandle("/proc/self/statm");
    private readonly Thread _thread;
    private long _bytes = Machine.AnonymousBytes;

    internal MemoryPeak()
    {
        _thread = new Thread(Watch) { IsBackground = true, Name = "memory peak" };
        _thread.Start();
    }

    internal long Bytes => Volatile.Read(ref _bytes);

    public void Dispose()
    {
        _stop.Set();
        _thread.Join();
        _stop.Dispose();
        _pages.Dispose();
    }

    private void Watch()
    {
        while (!_stop.Wait(10))
        {
            Volatile.Write(ref _bytes, Math.Max(_bytes, Look()));
        }
    }

    /// <summary>Resident pages without those that files stand behind: the second number of the file without the third.</summary>
    private long Look()
    {
        Span<byte> text = stackalloc byte[128];
        text = text[..RandomAccess.Read(_pages, text, 0)];
        Span<long> numbers = stackalloc long[3];
        for (int place = 0; place < numbers.Length; place++)
        {
            if (!Utf8Parser.TryParse(text, out numbers[place], out int used))
            {
                return 0;
            }

            text = text[Math.Min(used + 1, text.Length)..];
        }

        return (numbers[1] - numbers[2]) * Environment.SystemPageSize;
    }
}

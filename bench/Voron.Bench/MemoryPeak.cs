namespace Voron.Bench;

/// <summary>
/// The most memory without a file behind it that the process had since this was made; looked at a hundred times a second.
/// </summary>
internal sealed class MemoryPeak : IDisposable
{
    private readonly ManualResetEventSlim _stop = new();
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
    }

    private void Watch()
    {
        while (!_stop.Wait(TimeSpan.FromMilliseconds(10)))
        {
            Volatile.Write(ref _bytes, Math.Max(_bytes, Machine.AnonymousBytes));
        }
    }
}

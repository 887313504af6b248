namespace Voron.Native;

/// <summary>
/// Guards an open file. State: the number of calls in flight, plus <see cref="Closing"/> once a close was requested, plus
/// <see cref="Closed"/> once the file is closed. Invariants: a call runs only between a successful <see cref="Enter"/> and its
/// <see cref="Leave"/>; the thread that changes the state "closing, none in flight" to "closed" closes the file, and only one thread can.
/// Without this, a call that races with dispose could write into a file that was opened a moment later and got the same number.
/// </summary>
internal sealed class FileGate(SystemFile file, string path) : IDisposable
{
    private const int Closing = 1 << 30;
    private const int Closed = 1 << 29;

    private int _state;

    /// <summary>Closes the descriptor of a file that was never disposed, which also releases its lock.</summary>
    ~FileGate() => Close();

    internal SystemFile Enter()
    {
        if ((Interlocked.Increment(ref _state) & Closing) != 0)
        {
            Leave();
            Refuse(path);
        }

        return file;
    }

    internal void Leave()
    {
        if (Interlocked.Decrement(ref _state) == Closing)
        {
            CloseIfIdle();
        }
    }

    public void Dispose()
    {
        Close();
        GC.SuppressFinalize(this);
    }

    private static void Refuse(string path) => throw new ObjectDisposedException(nameof(NativeFile), $"The file '{path}' is closed.");

    private void Close()
    {
        Interlocked.Or(ref _state, Closing);
        CloseIfIdle();
    }

    private void CloseIfIdle()
    {
        if (Interlocked.CompareExchange(ref _state, Closing | Closed, Closing) == Closing)
        {
            file.Close();
            NativeCounts.AddFiles(-1);
        }
    }
}

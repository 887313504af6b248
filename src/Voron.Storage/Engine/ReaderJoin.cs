using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Threads;

namespace Voron.Storage.Engine;

/// <summary>
/// Registers a read-only open in its slot of the lock file, before it reads anything that the writer may change. With a writer it registers
/// at the checkpoint that the writer names; without one, or while the writer still reads as well, it finds the newest checkpoint itself and
/// registers at that. Each time it writes its slot first and then reads the admission again.
/// </summary>
internal sealed class ReaderJoin(ProcessSlots slots, string path, ReaderJoin? before, CancellationToken cancellation)
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    /// <summary>When the first of all attempts began.</summary>
    private readonly long _start = before?._start ?? Environment.TickCount64;
    private bool _hasWriter;
    private int _writer;
    private long _expected;

    /// <summary>Waits until readers are admitted, and registers.</summary>
    internal void Begin()
    {
        while (true)
        {
            bool isWritten = slots.HasWriter;
            long admission = slots.Admission;
            _writer = slots.WriterProcess;
            _hasWriter = isWritten && admission != ProcessSlots.Opening;
            if (_hasWriter && admission != ProcessSlots.Open)
            {
                Wait();
                continue;
            }

            _expected = _hasWriter ? slots.Checkpoint : ProcessSlots.Joining;
            IO.Throw.IfFailed(slots.Register(_expected), "write", path);
            if (IsAdmitted)
            {
                return;
            }
        }
    }

    /// <summary>
    /// Says which checkpoint was found. Returns false if it must be looked for again, because the writer has gone on meanwhile.
    /// </summary>
    internal bool TryConfirm(long found)
    {
        if (_hasWriter)
        {
            return found == _expected;
        }

        IO.Throw.IfFailed(slots.Register(found), "write", path);
        return IsAdmitted;
    }

    /// <summary>
    /// The last transaction that may be shown: the newest one on the device. Without a writer everything that recovery finds, as there is
    /// nothing newer.
    /// </summary>
    internal TransactionId Last => _hasWriter ? slots.Durable : TransactionId.AfterAll;

    /// <summary>
    /// Waits a moment before the next attempt; the slots may be closed by then. Throws if there were attempts for too long: a checkpoint is
    /// not finished, or the writer has failed in one.
    /// </summary>
    internal void Wait()
    {
        cancellation.ThrowIfCancellationRequested();
        if (Environment.TickCount64 - _start > Patience.TotalMilliseconds)
        {
            Throw.NotAdmitted(path, _writer, Patience);
        }

        EngineThread.Rest(TimeSpan.FromMilliseconds(1));
    }

    /// <summary>
    /// Whether what was read may have changed meanwhile, so that an error says nothing. A writer deletes only what no registered reader
    /// needs, but a reader lists files before it knows which ones it needs.
    /// </summary>
    internal bool HasMoved => !IsAdmitted || (_hasWriter && !slots.HasWriter);

    private bool IsAdmitted => _hasWriter
        ? slots.Admission == ProcessSlots.Open && slots.Checkpoint == _expected
        : !slots.HasWriter || slots.Admission == ProcessSlots.Opening;
}

using Voron.Simulation.Faults;
using Voron.Simulation.SelfTests;
using Voron.Storage;
using Voron.Storage.Threads;
using Voron.Storage.Transactions;
using static Voron.Simulation.Faults.NumberedRows;

namespace Voron.Simulation.Engine;

/// <summary>Values of several pages that are deleted while a checkpoint moves them to the data file, beside readers.</summary>
internal static class FreedRunCases
{
    private const string Name = "runs";

    /// <summary>
    /// No reader sees the value when the next write begins, but one begins before the deletion is published; then others take the pages.
    /// </summary>
    internal static void ReadBeforePublished()
    {
        byte[] value = new byte[5 * DirectedLane.PageBytes];
        new SimRandom(1).Fill(value);
        SimDisk disk = DiskFixture.NewDisk(seed: 1);
        using StorageEnvironment environment = StorageEnvironment.Open(
            Folder, new StorageOptions { Engine = new() { Disk = disk, Background = false }, PageSize = DirectedLane.PageBytes });
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.OpenTree(Name).Put("run"u8, value);
            transaction.Commit();
        }

        ReadTransaction? reader = null;
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.OpenTree(Name).Delete("run"u8);
            environment.Checkpoint();
            disk.OnCall = (call, phase) =>
            {
                if (reader is null && phase == SimPhase.Before && call.Kind == SimCallKind.Write)
                {
                    environment.BeginWrite().Dispose();
                    reader = environment.BeginRead();
                }
            };
            transaction.Commit();
            disk.OnCall = null;
        }

        using (WriteTransaction transaction = environment.BeginWrite())
        {
            NumberedRows.Put(transaction, Enumerable.Range(0, 200), 500);
            transaction.Commit();
        }

        environment.Checkpoint();
        Require(reader!.Value, value);
    }

    /// <summary>
    /// A reader in the midst of a lookup at each of its points, while a writer, stopped at each of its own, marks the same page: what takes
    /// the place of the reader's value is in the data file, so that one step astray leads there.
    /// </summary>
    internal static void ReadWhileMarked()
    {
        for (int writerStop = 1; ; writerStop++)
        {
            for (int readerStop = 1; ; readerStop++)
            {
                using StoppedThreads threads = new(writerStop, readerStop);
                ReadWhileMarked(threads);
                if (!threads.HasReaderStopped)
                {
                    break;
                }
            }

            using StoppedThreads last = new(writerStop, readerStop: 0);
            ReadWhileMarked(last);
            if (!last.HasWriterStopped)
            {
                return;
            }
        }
    }

    private static void ReadWhileMarked(StoppedThreads threads)
    {
        using Scheduling.Scope scope = Scheduling.Use(threads);
        byte[] value = new byte[2 * (DirectedLane.PageBytes - 100)];
        value.AsSpan().Fill(1);
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory(
            new StorageOptions { Engine = new() { Background = false }, PageSize = DirectedLane.PageBytes });
        Change(environment, tree => tree.Put("mine"u8, value));
        ReadTransaction reader = environment.BeginRead();
        Change(environment, static tree => tree.Delete("mine"u8));
        Change(environment, static tree => tree.Put("other"u8, new byte[2 * (DirectedLane.PageBytes - 100)]));
        environment.Checkpoint();
        threads.Begin(() => Require(reader, value, "mine"));
        Change(environment, static tree => tree.Delete("other"u8));
        threads.End();
    }

    private static void Change(StorageEnvironment environment, Action<Tree> change)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        change(transaction.OpenTree(Name));
        transaction.Commit();
    }

    private static void Require(ReadTransaction reader, byte[] value, string key = "run")
    {
        try
        {
            ReadTree tree = reader.OpenTree(Name);
            if (!tree.TryGet(System.Text.Encoding.ASCII.GetBytes(key), out ReadOnlySpan<byte> found) || !found.SequenceEqual(value))
            {
                throw new InvalidDataException("a reader does not find the value that its snapshot has");
            }
        }
        finally
        {
            reader.Dispose();
        }
    }

    /// <summary>
    /// Stops the writer at one point between the steps that change a chain of page versions, lets the reader come to one of its points
    /// meanwhile, and then the writer to its end before the reader goes on.
    /// </summary>
    private sealed class StoppedThreads(int writerStop, int readerStop) : IScheduler, IDisposable
    {
        private readonly ManualResetEventSlim _goOn = new();
        private readonly ManualResetEventSlim _paused = new();
        private Thread? _reader;
        private Action? _read;
        private Exception? _error;
        private int _writerPoints;
        private int _readerPoints;

        internal bool HasWriterStopped => _reader is not null;

        internal bool HasReaderStopped { get; private set; }

        internal void Begin(Action read) => _read = read;

        internal void End()
        {
            _goOn.Set();
            Action read = _read!;
            if (_reader is null)
            {
                // The writer has fewer points; those of this read are none of its.
                _read = null;
                Read(read);
            }

            _reader?.Join();
            _read = null;
            if (_error is not null)
            {
                throw new InvalidDataException($"{_error.Message} (points {writerStop} and {readerStop})", _error);
            }
        }

        public void Pass(SchedulingPoint point)
        {
            if (point != SchedulingPoint.Chain || _read is null)
            {
                return;
            }

            if (Thread.CurrentThread == _reader)
            {
                if (++_readerPoints == readerStop)
                {
                    HasReaderStopped = true;
                    _paused.Set();
                    _goOn.Wait();
                }
            }
            else if (++_writerPoints == writerStop)
            {
                Action read = _read;
                _reader = new Thread(() => Read(read));
                _reader.Start();
                _paused.Wait();
            }
        }

        public bool Sleep(object on, SchedulingPoint point, TimeSpan timeout)
        {
            Thread.Yield();
            return true;
        }

        public void Wake(object on)
        {
            // Nothing sleeps for long.
        }

        public Action Start(string name, Action run) => throw new NotSupportedException("The engine has no threads of its own here.");

        public void Dispose()
        {
            _goOn.Dispose();
            _paused.Dispose();
        }

        private void Read(Action read)
        {
            try
            {
                using Scheduling.Scope scope = Scheduling.Use(this);
                read();
            }
            catch (Exception error)
            {
                _error = error;
            }

            _paused.Set();
        }
    }
}

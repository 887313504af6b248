using System.Runtime.CompilerServices;

namespace Voron.Storage.Replication.Tests;

/// <summary>
/// A log in memory, with clients that a network of this test separates from it: what is sent may be lost, come twice or late, answers may
/// be lost, readers may break, and the condition of an append may be ignored.
/// </summary>
internal sealed class SimulatedLog(int seed = 0)
{
    private readonly Lock _gate = new();
    private readonly Random _random = new(seed);
    private readonly List<byte[]> _entries = [];
    private readonly List<byte[]> _late = [];
    private TaskCompletionSource _more = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _first = 1;

    /// <summary>How likely a fault is at each call.</summary>
    internal double Faults { get; set; }

    internal bool IgnoresConditions { get; set; }

    /// <summary>Whether no caller gets an answer.</summary>
    internal bool IsDown { get; set; }

    internal long Last
    {
        get
        {
            lock (_gate)
            {
                return _first - 1 + _entries.Count;
            }
        }
    }

    internal Client Connect() => new(this);

    /// <summary>Loses the last entries, as a cluster that never synced does.</summary>
    internal void LoseEnd(int count)
    {
        lock (_gate)
        {
            _entries.RemoveRange(_entries.Count - count, count);
        }
    }

    internal void Overwrite(long position, byte[] entry)
    {
        lock (_gate)
        {
            _entries[(int)(position - _first)] = entry;
        }
    }

    internal byte[] At(long position)
    {
        lock (_gate)
        {
            return _entries[(int)(position - _first)];
        }
    }

    /// <summary>Appends without asking, as a vandal does.</summary>
    internal void Add(byte[] entry)
    {
        lock (_gate)
        {
            _entries.Add(entry);
            Tell();
        }
    }

    private bool Happens(double share) => _random.NextDouble() < share * Faults;

    private void Tell()
    {
        TaskCompletionSource more = _more;
        _more = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        more.TrySetResult();
    }

    private long Append(byte[] entry, long expected)
    {
        lock (_gate)
        {
            ThrowIfDown();
            if (_late.Count > 0 && Happens(0.5))
            {
                _entries.Add(_late[0]);
                _late.RemoveAt(0);
                Tell();
            }

            if (Happens(0.2))
            {
                throw new LogUnavailableException("The entry was lost.");
            }

            if (Happens(0.2))
            {
                _late.Add(entry);
                throw new LogUnavailableException("The entry comes late.");
            }

            long last = _first - 1 + _entries.Count;
            if (last != expected && !IgnoresConditions)
            {
                throw new LogConflictException($"The log ends at {last}, not at {expected}.");
            }

            _entries.Add(entry);
            if (Happens(0.2))
            {
                _entries.Add(entry);
            }

            Tell();
            return Happens(0.2) ? throw new LogUnavailableException("The answer was lost.") : last + 1;
        }
    }

    private void ThrowIfDown()
    {
        if (IsDown)
        {
            throw new LogUnavailableException("The log is down.");
        }
    }

    /// <summary>A node's connection.</summary>
    internal sealed class Client(SimulatedLog log) : IReplicatedLog
    {
        private CancellationTokenSource _cut = new();

        public int MaxEntryBytes { get; init; } = 1 << 20;

        /// <summary>Whether this client is cut off from the log.</summary>
        internal bool IsCutOff { get; private set; }

        internal void CutOff()
        {
            IsCutOff = true;
            _ = _cut.CancelAsync();
        }

        internal void Heal()
        {
            _cut = new CancellationTokenSource();
            IsCutOff = false;
        }

        public async ValueTask<long> AppendAsync(ReadOnlyMemory<byte> entry, long expectedLast, CancellationToken cancellation)
        {
            byte[] bytes = entry.ToArray();
            await Task.Yield();
            ThrowIfCutOff();
            return log.Append(bytes, expectedLast);
        }

        public async IAsyncEnumerable<LogEntry> ReadAsync(long from, [EnumeratorCancellation] CancellationToken cancellation)
        {
            for (long position = from; ; position++)
            {
                byte[] entry = await NextAsync(position, cancellation);
                yield return new LogEntry(position, entry);
            }
        }

        public ValueTask<LogBounds> GetBoundsAsync(CancellationToken cancellation)
        {
            lock (log._gate)
            {
                cancellation.ThrowIfCancellationRequested();
                ThrowIfCutOff();
                log.ThrowIfDown();
                if (log.Happens(0.1))
                {
                    throw new LogUnavailableException("No answer.");
                }

                return new ValueTask<LogBounds>(new LogBounds(log._first, log._first - 1 + log._entries.Count));
            }
        }

        public ValueTask TrimAsync(long below, CancellationToken cancellation)
        {
            lock (log._gate)
            {
                ThrowIfCutOff();
                int count = (int)Math.Clamp(below - log._first, 0, log._entries.Count);
                log._entries.RemoveRange(0, count);
                log._first += count;
                return ValueTask.CompletedTask;
            }
        }

        public ValueTask DisposeAsync()
        {
            _cut.Dispose();
            return ValueTask.CompletedTask;
        }

        private async Task<byte[]> NextAsync(long position, CancellationToken cancellation)
        {
            while (true)
            {
                Task more;
                lock (log._gate)
                {
                    cancellation.ThrowIfCancellationRequested();
                    ThrowIfCutOff();
                    log.ThrowIfDown();
                    if (log.Happens(0.02))
                    {
                        throw new LogUnavailableException("The reader broke.");
                    }

                    if (position < log._first)
                    {
                        throw new LogTrimmedException(log._first);
                    }

                    if (position - log._first < log._entries.Count)
                    {
                        return log._entries[(int)(position - log._first)];
                    }

                    more = log._more.Task;
                }

                CancellationToken cut = _cut.Token;
                await more.WaitAsync(TimeSpan.FromMilliseconds(20), cut).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }

        private void ThrowIfCutOff()
        {
            if (IsCutOff)
            {
                throw new LogUnavailableException("The node is cut off from the log.");
            }
        }
    }
}

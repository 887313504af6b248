using Voron.Storage.Format;
using Voron.Storage.Threads;

namespace Voron.Storage.Transactions;

/// <summary>
/// How far the pending entries of one tree are merged, and how far back the journal must reach to bring the others back after a crash.
/// <para>Entries are merged in key order, round after round. An entry that is pending at a key was put after the round before had passed
/// that key. So a sample of the position and the transaction is kept now and then: once this round has passed the position of a sample of
/// the round before, no pending entry is older than the transaction of that sample.</para>
/// <para>What a transaction changes here counts from its commit on. Requires the writer lock, except for what a checkpoint asks.</para>
/// </summary>
internal sealed class PendingTree
{
    private readonly List<Sample> _samples;
    private readonly List<Step> _steps = [];
    private readonly Gate _gate = new();
    private Progress _now;
    private Progress _atBegin;
    private int _samplesAtBegin;
    private bool _isRecorded;

    /// <param name="name">The tree's name, which stays the same while it has pending entries.</param>
    /// <param name="root">Its root.</param>
    /// <param name="began">The transaction that begins the pending tree.</param>
    /// <param name="since">No pending entry is older than this transaction.</param>
    /// <param name="chunk">The commit chunk in which that transaction begins, or an earlier one.</param>
    /// <param name="isRecorded">Whether the catalog has it already.</param>
    internal PendingTree(byte[] name, PageNumber root, TransactionId began, TransactionId since, long chunk, bool isRecorded)
    {
        _isRecorded = isRecorded;
        Name = name;
        Root = root;
        Began = began;
        _samples = [new Sample(0, [], since, chunk)];
        _samplesAtBegin = 1;
        _now = _atBegin = new Progress([], 0, 0, 0);
    }

    internal byte[] Name { get; }

    internal PageNumber Root { get; }

    /// <summary>The transaction that began the pending tree.</summary>
    internal TransactionId Began { get; }

    /// <summary>The key from which on entries are merged next.</summary>
    internal byte[] Next => _now.Next;

    /// <summary>No pending entry is older than this transaction.</summary>
    internal TransactionId Since => _samples[_now.First].Transaction;

    /// <summary>The commit chunk in which that transaction begins, or an earlier one.</summary>
    internal long FirstChunk => _samples[_now.First].Chunk;

    /// <summary>
    /// Whether an entry could not be merged, because its leaf is damaged. From then on <see cref="Since"/> stays as it is: the journal
    /// keeps what is pending.
    /// </summary>
    internal bool IsBlocked { get; set; }

    /// <summary>Entries that are merged from one sample to the next.</summary>
    internal int EntriesPerSample { get; set; } = 1 << 14;

    /// <summary>Whether a transaction has ended the pending tree.</summary>
    internal bool HasEnded { get; private set; }

    /// <summary>Whether it has ended, and no checkpoint asks for it any more.</summary>
    internal bool IsOver { get; private set; }

    /// <summary>Whether the transaction has begun the pending tree or changed <see cref="Since"/>, which the catalog records.</summary>
    internal bool IsSinceNew => !_isRecorded || Since != _samples[_atBegin.First].Transaction;

    /// <summary>Notes that the entries before a key are merged; an empty key ends the round.</summary>
    internal void MergedTo(byte[] next, int entries, TransactionId transaction, long chunk)
    {
        int round = next.Length == 0 ? _now.Round + 1 : _now.Round;
        int sinceSample = _now.SinceSample + entries;
        Sample last = _samples[^1];
        if (chunk == 0)
        {
            // In replay, where all transactions are one: nothing pending gets younger by it.
            (_, _, transaction, chunk) = _samples[_now.First];
        }

        if (round != last.Round || chunk != last.Chunk || sinceSample >= EntriesPerSample)
        {
            _samples.Add(new Sample(round, next, transaction, chunk));
            sinceSample = 0;
        }

        int first = _now.First;
        while (!IsBlocked && first + 1 < _samples.Count && IsPassed(_samples[first + 1], round, next))
        {
            first++;
        }

        _now = new Progress(next, round, first, sinceSample);
    }

    /// <summary>
    /// Writes since when entries may be pending, for ranges of keys: those before <see cref="Next"/> were passed in this round, the others
    /// in the one before. An entry that is older than the sample before its key was merged when that round passed it. Returns the length in
    /// bytes. Fewer samples only say less.
    /// </summary>
    internal int WriteSteps(Span<byte> target)
    {
        if (IsBlocked)
        {
            return 0;
        }

        // A step at a key before the real one may only say what holds behind the real one as well.
        ReadOnlySpan<byte> next = Next.AsSpan(0, Math.Min(Next.Length, PendingSteps.MostKeyBytes));
        int every = ((_samples.Count - _now.First) / (PendingSteps.MostSteps - 2)) + 1;
        int written = 0;
        for (int i = _now.First, count = 0; i < _samples.Count && next.Length > 0; i++)
        {
            if (_samples[i].Round == _now.Round && _samples[i].Key.AsSpan().SequenceCompareTo(next) < 0 && count++ % every == 0)
            {
                written += WriteStep(_samples[i], target[written..]);
            }
        }

        written += PendingSteps.Write(Since, next, target[written..]);
        for (int i = _now.First + 1, count = 0; i < _samples.Count; i++)
        {
            if (_samples[i].Round == _now.Round - 1 && _samples[i].Key.AsSpan().SequenceCompareTo(Next) > 0 && ++count % every == 0)
            {
                written += WriteStep(_samples[i], target[written..]);
            }
        }

        return written;
    }

    /// <summary>The transaction has ended; what it noted counts.</summary>
    internal void Commit(TransactionId transaction)
    {
        if (HasEnded)
        {
            return;
        }

        const int ManyPassed = 256;
        long chunk = _samples[_now.First].Chunk;
        using (_gate.Hold())
        {
            if (_steps.Count == 0 || _steps[^1].Chunk != chunk)
            {
                _steps.Add(new Step(transaction, chunk));
            }
        }

        if (_now.First >= ManyPassed)
        {
            _samples.RemoveRange(0, _now.First);
            _now = _now with { First = 0 };
        }

        _isRecorded = true;
        _atBegin = _now;
        _samplesAtBegin = _samples.Count;
    }

    internal void Rollback()
    {
        _now = _atBegin;
        _samples.RemoveRange(_samplesAtBegin, _samples.Count - _samplesAtBegin);
    }

    /// <summary>The transaction that ended the pending tree is committed: from it on, no chunk is needed.</summary>
    internal void End(TransactionId transaction)
    {
        HasEnded = true;
        using (_gate.Hold())
        {
            _steps.Add(new Step(transaction, long.MaxValue));
        }
    }

    /// <summary>
    /// Returns the first commit chunk that a recovery of a snapshot needs for its pending entries; the largest number if it needs none.
    /// Snapshots are asked for in ascending order.
    /// </summary>
    internal long ChunkAt(TransactionId snapshot)
    {
        using (_gate.Hold())
        {
            int at = _steps.FindLastIndex(step => step.From <= snapshot);
            if (at < 0)
            {
                return long.MaxValue;
            }

            _steps.RemoveRange(0, at);
            IsOver = _steps[0].Chunk == long.MaxValue;
            return _steps[0].Chunk;
        }
    }

    /// <summary>Writes a step unless its key is long: a shorter one would be before the sample.</summary>
    private static int WriteStep(in Sample sample, Span<byte> target) =>
        sample.Key.Length > PendingSteps.MostKeyBytes ? 0 : PendingSteps.Write(sample.Transaction, sample.Key, target);

    private static bool IsPassed(in Sample sample, int round, byte[] next) =>
        sample.Round < round && (sample.Round < round - 1 || sample.Key.AsSpan().SequenceCompareTo(next) <= 0);

    /// <param name="Next">The key from which on entries are merged next.</param>
    /// <param name="Round">Number of rounds that have ended.</param>
    /// <param name="First">Index of the sample that says how old pending entries may be.</param>
    /// <param name="SinceSample">Entries merged since the last sample.</param>
    private readonly record struct Progress(byte[] Next, int Round, int First, int SinceSample);

    private readonly record struct Sample(int Round, byte[] Key, TransactionId Transaction, long Chunk);

    private readonly record struct Step(TransactionId From, long Chunk);
}

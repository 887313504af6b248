using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Threads;

namespace Voron.Storage.Pages;

/// <summary>
/// The readers in other processes, as the writer knows them. Each reads snapshot N of the checkpoint at which it registered, from the data
/// file and the page journal, and what it replayed since from memory of its own; of later transactions it reads only placed runs in the
/// file. Invariants:
/// <para>1. A reader registers at the newest checkpoint only, and not from the last look of a checkpoint on until that one has ended. So
/// the look finds every reader that is affected.</para>
/// <para>2. While a reader is registered, no page that its N reaches is written, and the data file is neither cut nor punched.</para>
/// <para>3. While a reader is registered, no chunk gets other content: chunks are deleted, and stay readable where they are open.</para>
/// <para>4. A run freed by a transaction that a reader does not see yet counts as freed in doubt.</para>
/// </summary>
internal sealed class OutsideReaders
{
    private readonly ProcessSlots? _slots;
    private readonly Gate _gate;

    /// <summary>Pages of the checkpoints that readers read. Guarded by <see cref="_gate"/>.</summary>
    private readonly Dictionary<long, UsedPages> _pages = [];
    private readonly HashSet<long> _read = [];
    private volatile bool _hasReaders;

    internal OutsideReaders(ProcessSlots? slots)
    {
        _slots = slots;
        _gate = new Gate();
    }

    internal bool Any => _slots is not null && _slots.TryFindReader(0, out _);

    /// <summary>
    /// The oldest state that a reader shows. A reader that registers after this was read shows at least what was published as durable by
    /// then.
    /// </summary>
    internal TransactionId OldestShown
    {
        get
        {
            TransactionId oldest = TransactionId.AfterAll;
            ProcessSlot reader = default;
            while (_slots is not null && _slots.TryFindReader(reader.Number, out reader))
            {
                oldest = TransactionId.Min(oldest, reader.Shown);
            }

            return oldest;
        }
    }

    /// <summary>Tells readers what is on the device; only that is shown.</summary>
    internal void PublishDurable(TransactionId durable) => _slots?.PublishDurable(durable);

    /// <summary>
    /// Lets readers register at this checkpoint, which is in its place; not after a failure in the middle of one, when the newest on disk
    /// is not known.
    /// </summary>
    internal void Admit(long checkpoint, bool hasFailed = false)
    {
        if (!hasFailed)
        {
            _slots?.Admit(ProcessSlots.Open, checkpoint);
        }
    }

    /// <summary>
    /// Lets no reader register until <see cref="Admit"/> is called. If that cannot be said, nothing may be written that readers of the
    /// newest checkpoint rely on.
    /// </summary>
    internal void Refuse(long checkpoint, string path)
    {
        if (_slots is not null)
        {
            IO.Throw.IfFailed(_slots.Admit(ProcessSlots.Closed, checkpoint), "write", path);
        }
    }

    /// <summary>
    /// Notes which checkpoints are read; <paramref name="pages"/> are those of the newest one. Returns whether a reader has come to it
    /// that was not there at the last look.
    /// </summary>
    internal bool Look(long checkpoint, Func<UsedPages> pages)
    {
        if (_slots is null)
        {
            return false;
        }

        using (_gate.Hold())
        {
            _read.Clear();
            ProcessSlot reader = default;
            while (_slots.TryFindReader(reader.Number, out reader))
            {
                _read.Add(reader.Checkpoint);
            }

            _hasReaders = _read.Count > 0;
            foreach (long known in _pages.Keys)
            {
                if (!_read.Contains(known))
                {
                    _pages.Remove(known);
                }
            }

            bool isNew = _read.Contains(checkpoint) && !_pages.ContainsKey(checkpoint);
            if (isNew)
            {
                _pages.Add(checkpoint, pages().Copy());
            }

            return isNew;
        }
    }

    /// <summary>Whether the last look found a reader.</summary>
    internal bool HasReaders => _hasReaders;

    /// <summary>Returns the last of these pages that a reader of the last look reads from its snapshot in the data file, or none.</summary>
    internal PageNumber LastRead(PageNumber first, long count)
    {
        if (!_hasReaders)
        {
            return PageNumber.None;
        }

        using (_gate.Hold())
        {
            foreach (UsedPages pages in _pages.Values)
            {
                for (PageNumber page = first + count - 1; page >= first; page -= 1)
                {
                    if (pages.IsUsed(page))
                    {
                        return page;
                    }
                }
            }
        }

        return PageNumber.None;
    }

    /// <summary>
    /// Returns the process of a reader that reads another checkpoint than this one or does not know yet which; 0 if there is none.
    /// </summary>
    internal int FindStranger(long checkpoint)
    {
        ProcessSlot reader = default;
        while (_slots is not null && _slots.TryFindReader(reader.Number, out reader))
        {
            if (reader.Checkpoint != checkpoint)
            {
                return reader.Process;
            }
        }

        return 0;
    }

    /// <summary>Lets readers find the newest checkpoint, this one, for themselves: nothing is written for now.</summary>
    internal void AdmitWhileOpening(long checkpoint) => _slots?.Admit(ProcessSlots.Opening, checkpoint);
}

using System.Diagnostics.CodeAnalysis;
using Voron.Storage.Format;
using Voron.Storage.Threads;
using Voron.Storage.Trees;
using Voron.Storage.Versions;

namespace Voron.Storage.History;

/// <summary>
/// Divides an ordered tree into ranges of some leaves each. A large tree has a thread of its own that collects the entries of ranges ahead
/// of the caller; where it is not ahead, the caller collects them. Errors are left to the caller.
/// </summary>
internal sealed class EntryParts : IDisposable
{
    /// <summary>Trees with fewer entries than this are not worth a thread.</summary>
    private const long FewestEntries = 100_000;

    /// <summary>Ranges in memory, with the one that the caller has taken.</summary>
    private const int MostParts = 4;

    /// <summary>Leaves of one range, in bytes.</summary>
    private const int PartBytes = 192 << 10;

    private readonly PageSource _source;
    private readonly TransactionId _snapshot;
    private readonly PageNumber _root;
    private readonly EntryPart[] _parts = new EntryPart[MostParts];
    private readonly bool[] _isCollected = new bool[MostParts];
    private readonly WaitGate _gate = new();
    private readonly EngineThread? _thread;

    /// <summary>Number of ranges that a thread has begun to collect, and where the next begins. Changed with the gate held.</summary>
    private long _begun;
    private byte[]? _from;
    private bool _hasBegunLast;

    /// <summary>Number of ranges that the caller has taken.</summary>
    private long _taken;
    private bool _stop;

    /// <param name="source">The source of pages.</param>
    /// <param name="snapshot">The snapshot, which must be held until this is disposed.</param>
    /// <param name="tree">The tree.</param>
    internal EntryParts(PageSource source, TransactionId snapshot, in TreeRecord tree)
    {
        _source = source;
        _snapshot = snapshot;
        _root = tree.RootPage;
        if (tree.EntryCount >= FewestEntries)
        {
            _thread = new EngineThread("Voron entries ahead", ThreadRank.StepsBack, Run);
            _thread.TryBegin();
        }
    }

    /// <summary>Whether another range can be begun beside that which the caller has taken.</summary>
    private bool HasRoom => _begun - _taken < MostParts - 1;

    /// <summary>Ends the thread.</summary>
    public void Dispose()
    {
        using (_gate.Hold())
        {
            _stop = true;
            _gate.PulseAll();
        }

        _thread?.Join();
    }

    /// <summary>
    /// Returns the next range in the order of the keys, after the one before was written; null at the end. The caller collects what is not
    /// collected of it: all, or what is left when its redo is long.
    /// </summary>
    internal EntryPart? Take()
    {
        bool hasNext = TryTake(out int index, out bool isMine);
        while (hasNext && !isMine && !IsCollected(index))
        {
            // Rather than wait for the other thread, collect the range behind those that it has begun.
            if (TryBegin(out EntryPart? further, wait: false))
            {
                Collect(further);
            }
            else
            {
                WaitFor(index);
            }
        }

        return hasNext ? _parts[index] : null;
    }

    private void Run()
    {
        try
        {
            while (TryBegin(out EntryPart? part, wait: true))
            {
                Collect(part);
            }
        }
        catch (Exception e) when (e is StorageException or OutOfMemoryException)
        {
            // The caller goes on where the range ends so far, and gets the same error.
        }
    }

    private void Collect(EntryPart part)
    {
        try
        {
            part.Collect(_source, _snapshot, _root);
        }
        finally
        {
            using (_gate.Hold())
            {
                _isCollected[Array.IndexOf(_parts, part)] = true;
                _gate.PulseAll();
            }
        }
    }

    /// <summary>Takes the next range; it is the caller's own if no thread has begun it. False at the end.</summary>
    private bool TryTake(out int index, out bool isMine)
    {
        using WaitGate.Scope scope = _gate.Hold();
        index = (int)(_taken % MostParts);
        isMine = _taken == _begun;
        if (isMine && _hasBegunLast)
        {
            return false;
        }

        if (isMine)
        {
            BeginNext();
        }

        _taken++;
        _gate.PulseAll();
        return true;
    }

    private bool IsCollected(int index)
    {
        using WaitGate.Scope scope = _gate.Hold();
        return _isCollected[index];
    }

    private void WaitFor(int index)
    {
        using WaitGate.Scope scope = _gate.Hold();
        while (!_isCollected[index])
        {
            _gate.Wait();
        }
    }

    /// <summary>Begins the next range, if there is one and memory for it, which is waited for if so desired.</summary>
    private bool TryBegin([NotNullWhen(true)] out EntryPart? part, bool wait)
    {
        using WaitGate.Scope scope = _gate.Hold();
        while (wait && !_stop && !HasRoom)
        {
            _gate.Wait();
        }

        part = !_stop && HasRoom && !_hasBegunLast ? BeginNext() : null;
        return part is not null;
    }

    private EntryPart BeginNext()
    {
        _gate.AssertHeld();
        byte[]? to = _thread is null ? null : TreeParts.End(_source, _snapshot, _root, _from, PartBytes / _source.PageBytes);
        int index = (int)(_begun % MostParts);
        EntryPart part = _parts[index] ??= new EntryPart();
        part.Set(_from, to);
        _isCollected[index] = false;
        _from = to;
        _hasBegunLast = to is null;
        _begun++;
        return part;
    }
}

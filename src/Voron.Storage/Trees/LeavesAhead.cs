using Voron.Storage.Format;
using Voron.Storage.Threads;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>
/// Brings the leaves of large trees into memory and verifies them, on a thread of its own, while another thread reads all entries in the
/// order of their keys. The leaves of many branches at a time are read in the order of the file, so the device sees long reads. Does
/// nothing if the file is larger than memory: what is read too early would be evicted again. Errors are left to the other thread.
/// </summary>
internal sealed class LeavesAhead : IDisposable
{
    /// <summary>Trees with fewer entries than this are not worth a thread.</summary>
    private const long FewestEntries = 100_000;

    /// <summary>Leaves that are sorted by their place in the file.</summary>
    private const int LeavesOfPortion = 64 << 10;

    /// <summary>Pages between two leaves that are read as well rather than dividing a read.</summary>
    private const int MostGapPages = 4;

    private const int MostReadBytes = 1 << 20;

    /// <summary>Bytes that the device is asked for before they are waited for.</summary>
    private const long AskedBytes = 16 << 20;

    private readonly PageSource _source;
    private readonly TransactionId _snapshot;
    private readonly IReadOnlyList<TreeRecord> _trees;
    private readonly long[] _portion = new long[LeavesOfPortion];
    private readonly EngineThread _thread;
    private int _leaves;
    private volatile bool _stop;

    private LeavesAhead(PageSource source, TransactionId snapshot, IReadOnlyList<TreeRecord> trees)
    {
        _source = source;
        _snapshot = snapshot;
        _trees = trees;
        _thread = new EngineThread("Voron leaves ahead", ThreadRank.StepsBack, Run);
        _thread.TryBegin();
    }

    /// <summary>Begins with the trees that are worth it; null if there are none. The snapshot must be held until it is disposed.</summary>
    internal static LeavesAhead? Begin(PageSource source, TransactionId snapshot, IEnumerable<TreeRecord> trees)
    {
        TreeRecord[] large = [.. trees.Where(static tree => tree.EntryCount >= FewestEntries)];
        return large.Length == 0 || source.Mapped.IsCold ? null : new LeavesAhead(source, snapshot, large);
    }

    /// <summary>Ends the thread.</summary>
    public void Dispose()
    {
        _stop = true;
        _thread.Join();
    }

    private void Run()
    {
        try
        {
            foreach (TreeRecord tree in _trees)
            {
                Visit(tree.RootPage, CountLevels(tree.RootPage));
            }

            BringIn();
        }
        catch (StorageException)
        {
            // The reader gets the same error, at the place where it belongs.
        }
    }

    /// <summary>Returns how many levels of branches are above the leaves: all leaves of a tree are equally deep.</summary>
    private int CountLevels(PageNumber root)
    {
        int levels = 0;
        Node node = Node.Read(_source, _snapshot, root);
        for (; !node.IsLeaf && levels < TreePath.MaxDepth; levels++)
        {
            node = Node.Read(_source, _snapshot, node.Child(0));
        }

        return levels;
    }

    /// <summary>Collects the leaves below a branch that has this number of levels below it; 1: its children are leaves.</summary>
    private void Visit(PageNumber page, int levels)
    {
        Node branch = Node.Read(_source, _snapshot, page);
        if (branch.IsLeaf)
        {
            return;
        }

        for (int i = 0; levels > 1 && i < branch.Count; i++)
        {
            _source.Mapped.ReadAhead(branch.Child(i), 1);
        }

        for (int i = 0; i < branch.Count && !_stop; i++)
        {
            if (levels > 1)
            {
                Visit(branch.Child(i), levels - 1);
                continue;
            }

            _portion[_leaves++] = branch.Child(i).Value;
            if (_leaves == LeavesOfPortion)
            {
                BringIn();
            }
        }
    }

    /// <summary>Reads and verifies the leaves that were collected.</summary>
    private void BringIn()
    {
        Array.Sort(_portion, 0, _leaves);
        int asked = 0;
        long pagesAhead = 0;
        for (int first = 0; first < _leaves && !_stop;)
        {
            for (; asked < _leaves && pagesAhead < AskedBytes / _source.PageBytes; asked = EndOfRead(asked))
            {
                _source.Mapped.ReadAhead(new PageNumber(_portion[asked]), PagesOfRead(asked));
                pagesAhead += PagesOfRead(asked);
            }

            pagesAhead -= PagesOfRead(first);
            int end = EndOfRead(first);
            _source.Verify(new PageNumber(_portion[first]), PagesOfRead(first), _portion.AsSpan(first, end - first));
            first = end;
            EngineThread.Yield();
        }

        _leaves = 0;
    }

    private long PagesOfRead(int first) => _portion[EndOfRead(first) - 1] - _portion[first] + 1;

    /// <summary>Returns the index behind the last leaf of the read that begins with this one.</summary>
    private int EndOfRead(int first)
    {
        long most = _portion[first] + (MostReadBytes / _source.PageBytes);
        int end = first + 1;
        while (end < _leaves && _portion[end] - _portion[end - 1] <= MostGapPages && _portion[end] < most)
        {
            end++;
        }

        return end;
    }
}

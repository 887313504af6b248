using System.Diagnostics;
using Voron.Storage;
using Tree = Voron.Storage.Tree;

namespace Voron.Bench.Peers;

/// <summary>Our engine behind the peers' door.</summary>
internal sealed class OurStore : IStore
{
    internal const string Name = "Voron.Storage";

    private readonly OurReads _reads;
    private readonly CommitMode _mode;
    private readonly int _mostInFlight;

    /// <summary>Opens or creates it.</summary>
    /// <param name="folder">Its folder.</param>
    /// <param name="mode">What a commit has achieved when it is confirmed.</param>
    /// <param name="mostInFlight">So many asynchronous commits may wait for their confirmation; 0 for commits that wait themselves.</param>
    /// <param name="options">Other options than the default ones.</param>
    /// <param name="tree">Those of the tree, if it is created.</param>
    internal OurStore(
        string folder, CommitMode mode = CommitMode.Durable, int mostInFlight = 0, StorageOptions? options = null,
        TreeOptions tree = TreeOptions.None)
    {
        Environment = StorageEnvironment.Open(folder, options);
        _reads = new OurReads(Environment);
        _mode = mode;
        _mostInFlight = mostInFlight;
        using WriteTransaction transaction = Environment.BeginWrite();
        if (!transaction.TryOpenTree(Fill.TreeName, out _))
        {
            _ = transaction.OpenTree(Fill.TreeName, tree);
            transaction.Commit();
        }
    }

    internal StorageEnvironment Environment { get; }

    public long? AllocatedBytes
    {
        get
        {
            using ReadTransaction read = Environment.BeginRead();
            return Fill.OpenTree(read).GetReport().AllocatedBytes;
        }
    }

    /// <summary>Bytes of entries that have yet to be merged into their leaves.</summary>
    internal long PendingBytes => Environment.GetReport().PendingBytes;

    public IStoreWriter OpenWriter() => new OurWriter(Environment, _mode, _mostInFlight);

    public long Get(Questions questions) => _reads.Get(questions);

    public ScanResult Scan() => _reads.Scan();

    public long Seek(Questions questions) => _reads.Seek(questions);

    public long Match(Questions questions) => _reads.Match(questions);

    /// <summary>Waits, while nothing is put, until all entries are merged into their leaves; throws if that takes too long.</summary>
    internal void AwaitMerged()
    {
        const int MostSeconds = 300;
        long start = Stopwatch.GetTimestamp();
        while (PendingBytes is var left and > 0)
        {
            if (Stopwatch.GetElapsedTime(start).TotalSeconds > MostSeconds)
            {
                throw new VerificationException($"{left:N0} bytes of entries are not merged after {MostSeconds} s without a put.");
            }

            Thread.Sleep(100);
        }
    }

    public void Load(DataSet data)
    {
        using WriteTransaction transaction = Environment.BeginWrite();
        Tree tree = Fill.OpenTree(transaction);
        tree.Load(data.Pairs(KeyOrder.Ascending));
        transaction.Commit(_mode);
    }

    public void Dispose() => Environment.Dispose();

    /// <summary>Gets the same keys eight at a time; no peer can.</summary>
    internal long GetMany(Questions questions, ReadOnlyMemory<byte>[] keys) => _reads.GetMany(questions, keys);
}

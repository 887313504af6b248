namespace Voron.Bench.Peers;

/// <summary>A database of LMDB with one tree. Durable: a commit syncs.</summary>
internal sealed class LmdbStore : PeerStore<LmdbReader>
{
    internal const string Name = "lmdb";

    private const uint ModeOfNewFiles = 0x1A4; // 0644
    private static readonly long MapBytes = 1L << 35;

    private readonly nint _environment;
    private readonly uint _tree;

    internal LmdbStore(string folder, uint settings = 0)
    {
        Directory.CreateDirectory(folder);
        Demand("create an environment", LmdbCalls.CreateEnvironment(out _environment));
        Demand("set the map's size", LmdbCalls.SetMapBytes(_environment, checked((nint)MapBytes)));
        Demand(
            "open a database", LmdbCalls.OpenEnvironment(_environment, folder, LmdbCalls.NoThreadSlots | settings, ModeOfNewFiles));
        nint transaction = BeginTransaction(0);
        Demand("open a tree", LmdbCalls.OpenTree(transaction, 0, 0, out _tree));
        Demand("commit", LmdbCalls.Commit(transaction));
    }

    public override long? AllocatedBytes
    {
        get
        {
            Demand("tell its pages", LmdbCalls.Statistics(_environment, out LmdbStatistics statistics));
            return statistics.AllocatedBytes;
        }
    }

    public override IStoreWriter OpenWriter() => new LmdbWriter(_environment, _tree);

    public override void Load(DataSet data)
    {
        using LmdbWriter writer = new(_environment, _tree, LmdbCalls.Append);
        Load(writer, data);
    }

    public override void Dispose() => LmdbCalls.CloseEnvironment(_environment);

    protected override LmdbReader OpenReader() => new(BeginTransaction(LmdbCalls.ReadOnly), _tree);

    private static void Demand(string what, int error) => PeerException.Demand(Name, what, error);

    private nint BeginTransaction(uint flags)
    {
        Demand("begin a transaction", LmdbCalls.Begin(_environment, 0, flags, out nint transaction));
        return transaction;
    }
}

using System.Runtime.InteropServices;

namespace Voron.Bench.Peers;

/// <summary>A database of LevelDB or RocksDB. Durable when each batch that is written to the log is synced.</summary>
internal sealed class LsmStore<TCalls> : PeerStore<LsmReader<TCalls>>
    where TCalls : ILsmCalls
{
    private readonly nint _database;
    private readonly nint _readOptions = TCalls.CreateReadOptions();
    private readonly nint _writeOptions = TCalls.CreateWriteOptions();

    /// <summary>Opens or creates it.</summary>
    /// <param name="folder">Its folder.</param>
    /// <param name="syncs">Whether each write of the log is synced, which it is not when nothing is set.</param>
    internal LsmStore(string folder, bool syncs)
    {
        Directory.CreateDirectory(folder);
        nint options = TCalls.CreateOptions();
        TCalls.CreateIfMissing(options, 1);
        TCalls.SetSync(_writeOptions, (byte)(syncs ? 1 : 0));
        nint error = 0;
        _database = TCalls.Open(options, folder, ref error);
        Demand("open a database", error);
    }

    public override IStoreWriter OpenWriter() => new LsmWriter<TCalls>(_database, _writeOptions);

    /// <summary>Writers and readers must be gone. The few bytes of options stay: a process opens few databases.</summary>
    public override void Dispose() => TCalls.Close(_database);

    internal static void Demand(string what, nint error)
    {
        if (error != 0)
        {
            throw new PeerException(TCalls.Name, what, Marshal.PtrToStringUTF8(error)!);
        }
    }

    protected override LsmReader<TCalls> OpenReader() => new(_database, _readOptions);
}

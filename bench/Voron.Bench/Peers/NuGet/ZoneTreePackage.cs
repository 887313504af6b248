using ZoneTree;
using ZoneTree.Logger;
using ZoneTree.Options;

namespace Voron.Bench.Peers.NuGet;

/// <summary>
/// ZoneTree, a log-structured tree. Its changes are no transaction here, but upserts one after another: its transactions keep far more
/// logs. Where a commit has to wait, its log is synced after them.
/// </summary>
internal sealed class ZoneTreePackage : PeerStore<ZoneTreePackage.Reader>
{
    private readonly IZoneTree<Memory<byte>, Memory<byte>> _tree;
    private readonly IMaintainer _maintainer;
    private readonly bool _syncs;

    /// <summary>Opens or creates it.</summary>
    /// <param name="folder">Its folder.</param>
    /// <param name="syncs">
    /// Whether the log is written at once and synced at a commit; when nothing is set it is written some time later.
    /// </param>
    internal ZoneTreePackage(string folder, bool syncs)
    {
        Directory.CreateDirectory(folder);
        ZoneTreeFactory<Memory<byte>, Memory<byte>> factory = new ZoneTreeFactory<Memory<byte>, Memory<byte>>()
            .SetDataDirectory(folder)
            .SetLogLevel(LogLevel.Error);
        if (syncs)
        {
            factory.ConfigureWriteAheadLogOptions(static options => options.WriteAheadLogMode = WriteAheadLogMode.Sync);
        }

        _syncs = syncs;
        _tree = factory.OpenOrCreate();
        _maintainer = _tree.CreateMaintainer();
    }

    public override IStoreWriter OpenWriter() => new Writer(_tree, _syncs);

    public override void Dispose()
    {
        _maintainer.WaitForBackgroundThreads();
        _maintainer.Dispose();
        _tree.Dispose();
    }

    protected override Reader OpenReader() => new(_tree);

    internal struct Reader(IZoneTree<Memory<byte>, Memory<byte>> tree) : IStoreReader
    {
        private IZoneTreeIterator<Memory<byte>, Memory<byte>>? _iterator;

        public readonly ReadOnlySpan<byte> Key => _iterator!.CurrentKey.Span;

        public readonly ReadOnlySpan<byte> Value => _iterator!.CurrentValue.Span;

        public readonly bool TryGet(ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
        {
            Memory<byte> wanted = key.ToArray();
            bool found = tree.TryGet(wanted, out Memory<byte> stored);
            value = stored.Span;
            return found;
        }

        public bool MoveFirst()
        {
            _iterator ??= tree.CreateIterator(IteratorType.NoRefresh);
            _iterator.SeekFirst();
            return _iterator.Next();
        }

        public readonly bool MoveNext() => _iterator!.Next();

        public bool Seek(ReadOnlySpan<byte> key)
        {
            Memory<byte> from = key.ToArray();
            _iterator ??= tree.CreateIterator(IteratorType.NoRefresh);
            _iterator.Seek(from);
            return _iterator.Next();
        }

        public readonly void Dispose() => _iterator?.Dispose();
    }

    private sealed class Writer(IZoneTree<Memory<byte>, Memory<byte>> tree, bool syncs) : IStoreWriter
    {
        public void Begin()
        {
        }

        public void Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
        {
            Memory<byte> under = key.ToArray();
            Memory<byte> stored = value.ToArray();
            tree.Upsert(under, stored);
        }

        public void Delete(ReadOnlySpan<byte> key)
        {
            Memory<byte> under = key.ToArray();
            tree.ForceDelete(under);
        }

        public void Commit()
        {
            if (syncs)
            {
                tree.SyncWALAsync(CancellationToken.None).GetAwaiter().GetResult();
            }
        }

        public void Finish()
        {
        }

        public void Dispose()
        {
        }
    }
}

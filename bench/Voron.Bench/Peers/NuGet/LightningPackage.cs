using System.Reflection;
using System.Runtime.InteropServices;
using LightningDB;

namespace Voron.Bench.Peers.NuGet;

/// <summary>
/// LMDB through the package LightningDB. Its library needs a newer C library than some systems have; there the system's own LMDB takes its
/// place.
/// </summary>
internal sealed class LightningPackage : PeerStore<LightningPackage.Reader>
{
    private const long MapBytes = 1L << 35;
    private const string Package = "LightningDB";

    private static bool _isSystemLibrary;

    private readonly LightningEnvironment _environment;
    private readonly LightningDatabase _tree;

    static LightningPackage() => NativeLibrary.SetDllImportResolver(typeof(LightningEnvironment).Assembly, Load);

    internal LightningPackage(string folder)
    {
        Directory.CreateDirectory(folder);
        _environment = new LightningEnvironment(folder, new EnvironmentConfiguration { MapSize = MapBytes });
        _environment.Open(EnvironmentOpenFlags.NoThreadLocalStorage);
        using LightningTransaction transaction = _environment.BeginTransaction();
        _tree = transaction.OpenDatabase();
        Demand("commit", transaction.Commit());
    }

    internal static StoreOrigin Origin { get; } = new(
        Package,
        new Lazy<string>(static () => CanLoad() && _isSystemLibrary
            ? $"{Versions.OfNuGet(Package)} on {Versions.OfDebian("liblmdb0")}: the library in the package needs a newer glibc"
            : Versions.OfNuGet(Package)),
        new Lazy<string?>(static () => CanLoad() ? null : "apt-get install liblmdb0"));

    public override IStoreWriter OpenWriter() => new Writer(_environment, _tree);

    public override void Dispose()
    {
        _tree.Dispose();
        _environment.Dispose();
    }

    protected override Reader OpenReader() => new(_environment, _tree);

    private static bool CanLoad() => Load("lmdb", typeof(LightningEnvironment).Assembly, null) != 0;

    private static nint Load(string name, Assembly assembly, DllImportSearchPath? path)
    {
        if (NativeLibrary.TryLoad(name, assembly, path, out nint library))
        {
            return library;
        }

        _isSystemLibrary = NativeLibrary.TryLoad(LmdbCalls.Library, out library);
        return library;
    }

    private static void Demand(string what, MDBResultCode result)
    {
        if (result != MDBResultCode.Success)
        {
            throw new PeerException(Package, what, result.ToString());
        }
    }

    internal struct Reader(LightningEnvironment environment, LightningDatabase tree) : IStoreReader
    {
        private readonly LightningTransaction _transaction = environment.BeginTransaction(TransactionBeginFlags.ReadOnly);
        private LightningCursor? _cursor;
        private (MDBResultCode Result, MDBValue Key, MDBValue Value) _current;

        public readonly ReadOnlySpan<byte> Key => _current.Key.AsSpan();

        public readonly ReadOnlySpan<byte> Value => _current.Value.AsSpan();

        public readonly bool TryGet(ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
        {
            (MDBResultCode result, _, MDBValue found) = _transaction.Get(tree, key);
            value = result == MDBResultCode.Success ? found.AsSpan() : default;
            return result == MDBResultCode.Success;
        }

        public bool MoveFirst() => IsAt((_cursor ??= _transaction.CreateCursor(tree)).First());

        public bool MoveNext() => IsAt(_cursor!.Next());

        public bool Seek(ReadOnlySpan<byte> key)
        {
            _cursor ??= _transaction.CreateCursor(tree);
            return _cursor.SetRange(key) == MDBResultCode.Success && IsAt(_cursor.GetCurrent());
        }

        public readonly void Dispose()
        {
            _cursor?.Dispose();
            _transaction.Dispose();
        }

        private bool IsAt((MDBResultCode Result, MDBValue Key, MDBValue Value) current)
        {
            _current = current;
            return current.Result == MDBResultCode.Success;
        }
    }

    private sealed class Writer(LightningEnvironment environment, LightningDatabase tree) : IStoreWriter
    {
        private LightningTransaction? _transaction;

        public void Begin() => _transaction = environment.BeginTransaction();

        public void Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) => Demand("put", _transaction!.Put(tree, key, value));

        public void Delete(ReadOnlySpan<byte> key) => Demand("delete", _transaction!.Delete(tree, key));

        public void Commit()
        {
            Demand("commit", _transaction!.Commit());
            _transaction.Dispose();
            _transaction = null;
        }

        public void Finish()
        {
        }

        public void Dispose() => _transaction?.Dispose();
    }
}

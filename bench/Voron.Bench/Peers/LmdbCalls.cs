using System.Runtime.InteropServices;

namespace Voron.Bench.Peers;

/// <summary>The calls of LMDB's C library that the bench makes, as Debian ships it.</summary>
internal static partial class LmdbCalls
{
    internal const uint NoThreadSlots = 0x200000;
    internal const uint NoReadAhead = 0x800000;
    internal const uint WriteMap = 0x80000;
    internal const uint ReadOnly = 0x20000;
    internal const uint Append = 0x20000;
    internal const uint SortedDuplicates = 0x04;
    internal const uint IntegerKeys = 0x08;
    internal const uint FixedDuplicates = 0x10;
    internal const uint NoDuplicateData = 0x20;
    internal const int First = 0;
    internal const int Both = 2;
    internal const int Multiple = 5;
    internal const int Next = 8;
    internal const int NextDuplicate = 9;
    internal const int NextMultiple = 10;
    internal const int Set = 15;
    internal const int SetRange = 17;

    internal const string Library = "liblmdb.so.0";

    [LibraryImport(Library, EntryPoint = "mdb_env_create")]
    internal static partial int CreateEnvironment(out nint environment);

    [LibraryImport(Library, EntryPoint = "mdb_env_set_mapsize")]
    internal static partial int SetMapBytes(nint environment, nint bytes);

    [LibraryImport(Library, EntryPoint = "mdb_env_open", StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int OpenEnvironment(nint environment, string path, uint flags, uint mode);

    [LibraryImport(Library, EntryPoint = "mdb_env_close")]
    internal static partial void CloseEnvironment(nint environment);

    [LibraryImport(Library, EntryPoint = "mdb_env_stat")]
    internal static partial int Statistics(nint environment, out LmdbStatistics statistics);

    [LibraryImport(Library, EntryPoint = "mdb_txn_begin")]
    internal static partial int Begin(nint environment, nint parent, uint flags, out nint transaction);

    [LibraryImport(Library, EntryPoint = "mdb_txn_commit")]
    internal static partial int Commit(nint transaction);

    [LibraryImport(Library, EntryPoint = "mdb_txn_abort")]
    internal static partial void Abort(nint transaction);

    [LibraryImport(Library, EntryPoint = "mdb_dbi_open")]
    internal static partial int OpenTree(nint transaction, nint name, uint flags, out uint tree);

    [LibraryImport(Library, EntryPoint = "mdb_put")]
    internal static partial int Put(nint transaction, uint tree, ref LmdbValue key, ref LmdbValue value, uint flags);

    [LibraryImport(Library, EntryPoint = "mdb_del")]
    internal static partial int Delete(nint transaction, uint tree, ref LmdbValue key, nint value);

    [LibraryImport(Library, EntryPoint = "mdb_get")]
    internal static partial int Get(nint transaction, uint tree, ref LmdbValue key, out LmdbValue value);

    [LibraryImport(Library, EntryPoint = "mdb_cursor_open")]
    internal static partial int OpenCursor(nint transaction, uint tree, out nint cursor);

    [LibraryImport(Library, EntryPoint = "mdb_cursor_get")]
    internal static partial int Move(nint cursor, ref LmdbValue key, ref LmdbValue value, int operation);

    [LibraryImport(Library, EntryPoint = "mdb_cursor_close")]
    internal static partial void CloseCursor(nint cursor);
}

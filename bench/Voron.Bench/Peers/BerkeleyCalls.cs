using System.Runtime.InteropServices;

namespace Voron.Bench.Peers;

/// <summary>
/// The calls of Berkeley DB 5.3 that the bench makes. Its headers reach most of them through tables of functions; the library exports them
/// by name too.
/// </summary>
internal static partial class BerkeleyCalls
{
    internal const string Library = "libdb-5.3.so";

    internal const uint Create = 1;
    internal const uint Transactional = 0x100 | 0x200 | 0x400 | 0x2000; // lock, log, memory pool and transactions
    internal const uint Private = 0x10000;
    internal const uint Threads = 0x20;
    internal const uint Recover = 2;
    internal const uint AutoCommit = 0x100;
    internal const uint SyncAtCommit = 8;
    internal const uint RemoveOldLogs = 1;
    internal const uint DetectDeadlocks = 1;
    internal const uint Force = 1;
    internal const int BTree = 1;
    internal const uint First = 7;
    internal const uint Next = 16;
    internal const uint SetRange = 27;
    internal const int NotFound = -30988;
    internal const int Deadlock = -30993;

    [LibraryImport(Library, EntryPoint = "db_env_create")]
    internal static partial int CreateEnvironment(out nint environment, uint flags);

    [LibraryImport(Library, EntryPoint = "__memp_set_cachesize")]
    internal static partial int SetCacheBytes(nint environment, uint gibibytes, uint bytes, int parts);

    [LibraryImport(Library, EntryPoint = "__lock_set_lk_max_locks")]
    internal static partial int SetMostLocks(nint environment, uint count);

    [LibraryImport(Library, EntryPoint = "__lock_set_lk_max_objects")]
    internal static partial int SetMostLockedObjects(nint environment, uint count);

    [LibraryImport(Library, EntryPoint = "__lock_set_lk_detect")]
    internal static partial int SetDeadlockDetection(nint environment, uint policy);

    [LibraryImport(Library, EntryPoint = "__log_set_config")]
    internal static partial int ConfigureLog(nint environment, uint flags, int isOn);

    [LibraryImport(Library, EntryPoint = "__env_open_pp", StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int OpenEnvironment(nint environment, string folder, uint flags, int mode);

    [LibraryImport(Library, EntryPoint = "__env_close_pp")]
    internal static partial int CloseEnvironment(nint environment, uint flags);

    [LibraryImport(Library, EntryPoint = "__txn_checkpoint_pp")]
    internal static partial int Checkpoint(nint environment, uint kibibytes, uint minutes, uint flags);

    [LibraryImport(Library, EntryPoint = "db_create")]
    internal static partial int CreateDatabase(out nint database, nint environment, uint flags);

    [LibraryImport(Library, EntryPoint = "__db_open_pp", StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int OpenDatabase(nint database, nint transaction, string file, nint name, int kind, uint flags, int mode);

    [LibraryImport(Library, EntryPoint = "__db_close_pp")]
    internal static partial int CloseDatabase(nint database, uint flags);

    [LibraryImport(Library, EntryPoint = "__txn_begin_pp")]
    internal static partial int Begin(nint environment, nint parent, out nint transaction, uint flags);

    [LibraryImport(Library, EntryPoint = "__txn_commit")]
    internal static partial int Commit(nint transaction, uint flags);

    [LibraryImport(Library, EntryPoint = "__txn_abort")]
    internal static partial int Abort(nint transaction);

    [LibraryImport(Library, EntryPoint = "__db_put_pp")]
    internal static partial int Put(nint database, nint transaction, ref BerkeleyItem key, ref BerkeleyItem value, uint flags);

    [LibraryImport(Library, EntryPoint = "__db_del_pp")]
    internal static partial int Delete(nint database, nint transaction, ref BerkeleyItem key, uint flags);

    [LibraryImport(Library, EntryPoint = "__db_get_pp")]
    internal static partial int Get(nint database, nint transaction, ref BerkeleyItem key, ref BerkeleyItem value, uint flags);

    [LibraryImport(Library, EntryPoint = "__db_cursor_pp")]
    internal static partial int OpenCursor(nint database, nint transaction, out nint cursor, uint flags);

    [LibraryImport(Library, EntryPoint = "__dbc_get_pp")]
    internal static partial int Move(nint cursor, ref BerkeleyItem key, ref BerkeleyItem value, uint operation);

    [LibraryImport(Library, EntryPoint = "__dbc_close_pp")]
    internal static partial int CloseCursor(nint cursor);
}

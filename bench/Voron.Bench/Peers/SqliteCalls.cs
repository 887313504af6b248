using System.Runtime.InteropServices;

namespace Voron.Bench.Peers;

/// <summary>The calls of SQLite's C library that the bench makes.</summary>
internal static partial class SqliteCalls
{
    internal const string Library = "libsqlite3.so.0";

    internal const int Row = 100;
    internal const int Done = 101;

    /// <summary>The bytes that are bound stay where they are (SQLITE_STATIC).</summary>
    internal const nint Stays = 0;

    [LibraryImport(Library, EntryPoint = "sqlite3_open", StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int Open(string path, out nint connection);

    [LibraryImport(Library, EntryPoint = "sqlite3_close")]
    internal static partial int Close(nint connection);

    [LibraryImport(Library, EntryPoint = "sqlite3_busy_timeout")]
    internal static partial int SetBusyTimeout(nint connection, int milliseconds);

    [LibraryImport(Library, EntryPoint = "sqlite3_prepare_v2", StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int Prepare(nint connection, string text, int bytes, out nint statement, nint tail);

    [LibraryImport(Library, EntryPoint = "sqlite3_bind_blob")]
    internal static partial int Bind(nint statement, int parameter, nint bytes, int length, nint destructor);

    [LibraryImport(Library, EntryPoint = "sqlite3_step")]
    internal static partial int Step(nint statement);

    [LibraryImport(Library, EntryPoint = "sqlite3_reset")]
    internal static partial int Reset(nint statement);

    [LibraryImport(Library, EntryPoint = "sqlite3_finalize")]
    internal static partial int Destroy(nint statement);

    [LibraryImport(Library, EntryPoint = "sqlite3_column_blob")]
    internal static partial nint Column(nint statement, int column);

    [LibraryImport(Library, EntryPoint = "sqlite3_column_bytes")]
    internal static partial int ColumnBytes(nint statement, int column);

    [LibraryImport(Library, EntryPoint = "sqlite3_errmsg")]
    internal static partial nint LastError(nint connection);
}

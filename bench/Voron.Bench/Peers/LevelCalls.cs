using System.Runtime.InteropServices;

namespace Voron.Bench.Peers;

/// <summary>LevelDB's C library as Debian ships it. A get copies the value.</summary>
internal readonly partial struct LevelCalls : ILsmCalls
{
    internal const string EngineName = "leveldb";
    internal const string Library = "libleveldb.so.1d";

    public static string Name => EngineName;

    [LibraryImport(Library, EntryPoint = "leveldb_options_create")]
    public static partial nint CreateOptions();

    [LibraryImport(Library, EntryPoint = "leveldb_options_set_create_if_missing")]
    public static partial void CreateIfMissing(nint options, byte isOn);

    [LibraryImport(Library, EntryPoint = "leveldb_open", StringMarshalling = StringMarshalling.Utf8)]
    public static partial nint Open(nint options, string path, ref nint error);

    [LibraryImport(Library, EntryPoint = "leveldb_close")]
    public static partial void Close(nint database);

    [LibraryImport(Library, EntryPoint = "leveldb_writeoptions_create")]
    public static partial nint CreateWriteOptions();

    [LibraryImport(Library, EntryPoint = "leveldb_writeoptions_set_sync")]
    public static partial void SetSync(nint writeOptions, byte isOn);

    [LibraryImport(Library, EntryPoint = "leveldb_readoptions_create")]
    public static partial nint CreateReadOptions();

    [LibraryImport(Library, EntryPoint = "leveldb_writebatch_create")]
    public static partial nint CreateBatch();

    [LibraryImport(Library, EntryPoint = "leveldb_writebatch_clear")]
    public static partial void ClearBatch(nint batch);

    [LibraryImport(Library, EntryPoint = "leveldb_writebatch_destroy")]
    public static partial void DestroyBatch(nint batch);

    [LibraryImport(Library, EntryPoint = "leveldb_writebatch_put")]
    public static partial void Put(nint batch, nint key, nint keyBytes, nint value, nint valueBytes);

    [LibraryImport(Library, EntryPoint = "leveldb_writebatch_delete")]
    public static partial void Delete(nint batch, nint key, nint keyBytes);

    [LibraryImport(Library, EntryPoint = "leveldb_write")]
    public static partial void Write(nint database, nint writeOptions, nint batch, ref nint error);

    [LibraryImport(Library, EntryPoint = "leveldb_create_iterator")]
    public static partial nint CreateIterator(nint database, nint readOptions);

    [LibraryImport(Library, EntryPoint = "leveldb_iter_destroy")]
    public static partial void DestroyIterator(nint iterator);

    [LibraryImport(Library, EntryPoint = "leveldb_iter_valid")]
    public static partial byte IsValid(nint iterator);

    [LibraryImport(Library, EntryPoint = "leveldb_iter_seek_to_first")]
    public static partial void MoveFirst(nint iterator);

    [LibraryImport(Library, EntryPoint = "leveldb_iter_next")]
    public static partial void MoveNext(nint iterator);

    [LibraryImport(Library, EntryPoint = "leveldb_iter_seek")]
    public static partial void Seek(nint iterator, nint key, nint keyBytes);

    [LibraryImport(Library, EntryPoint = "leveldb_iter_key")]
    public static partial nint KeyOf(nint iterator, out nint bytes);

    [LibraryImport(Library, EntryPoint = "leveldb_iter_value")]
    public static partial nint ValueOf(nint iterator, out nint bytes);

    [LibraryImport(Library, EntryPoint = "leveldb_free")]
    public static partial void Release(nint handle);

    public static nint Get(nint database, nint readOptions, nint key, nint keyBytes, out nint value, out nint valueBytes, ref nint error) =>
        value = GetCopy(database, readOptions, key, keyBytes, out valueBytes, ref error);

    [LibraryImport(Library, EntryPoint = "leveldb_get")]
    private static partial nint GetCopy(nint database, nint readOptions, nint key, nint keyBytes, out nint valueBytes, ref nint error);
}

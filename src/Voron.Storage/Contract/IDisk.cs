namespace Voron.Storage;

/// <summary>
/// What the engine needs of a file system, so that a memory disk or a simulated one can replace it. Paths are absolute. Only
/// an explicit sync of that very file or directory orders or preserves anything, except where a file was opened for write-through.
/// </summary>
internal interface IDisk
{
    /// <summary>Creates the directory and its missing parents; success when it exists already.</summary>
    IoError CreateDirectory(string path);

    /// <summary>
    /// Holds a directory until the result is disposed: paths of the directory itself and of what is directly in it lead there, also when
    /// it was moved or another one has its path by then. Paths given to other calls name it as this one does. Where directories cannot be
    /// moved there is nothing to hold.
    /// </summary>
    IoError HoldDirectory(string path, out IDisposable? held)
    {
        held = null;
        return IoError.Success;
    }

    IoError OpenFile(string path, FileOpening opening, out IDiskFile? file);

    /// <summary>Gives a file another name in the same file system; an existing target is replaced.</summary>
    IoError Rename(string from, string to);

    IoError Delete(string path);

    /// <summary>Adds the names (not paths) of the directory's files, in no order.</summary>
    IoError ListFiles(string directory, List<string> names);

    /// <summary>Makes created, renamed and deleted names of this directory durable.</summary>
    IoError SyncDirectory(string path);

    /// <summary>
    /// Why what is synced in this file or held directory may not be durable all the same; null when nothing is known that speaks for that.
    /// </summary>
    string? FindDoubt(string path) => null;

    /// <summary>Size of the pages in which buffered bytes are written out, in bytes.</summary>
    int CachePageBytes => 4096;

    /// <summary>
    /// Creates a write that is made while its caller continues; on a disk that cannot do that, it is made when it is started.
    /// </summary>
    IWriteInFlight CreateWriteInFlight() => new WriteAtOnce();

    /// <summary>Fills the span with random bytes: identities and salts, no secrets. A simulated disk takes them from its seed.</summary>
    void FillRandom(Span<byte> destination);
}

namespace Voron.Storage;

/// <summary>
/// An open file. Calls may come from several threads at once; transfers are whole or failed, never short (except a read at the end of the
/// file).
/// </summary>
internal interface IDiskFile : IDisposable
{
    string Path { get; }

    /// <summary>
    /// False when unbuffered access was asked for and the file system refused it; the file then works through the page cache.
    /// </summary>
    bool IsUnbuffered { get; }

    /// <summary>True when a write to this file makes a sync call of its own, because write-through alone is not known to suffice.</summary>
    bool FlushesWrites => false;

    IoError GetLength(out long bytes);

    /// <summary>Reads from the offset until the span is full or the file ends.</summary>
    IoError Read(long offset, Span<byte> destination, out int read);

    IoError Write(long offset, ReadOnlySpan<byte> source);

    /// <summary>
    /// Hands what was written to a range to the device, so that a later sync has little to do. Nothing is durable by that; a failure means
    /// what a failed sync means.
    /// </summary>
    IoError WriteOut(long offset, long bytes);

    /// <summary>Makes the content and the length durable (fdatasync or stronger).</summary>
    IoError SyncData();

    IoError SetLength(long bytes);

    /// <summary>
    /// Grows the file to at least this length, with space reserved for what is new, so that later writes there cannot fail for lack of
    /// space where the file system can promise that.
    /// </summary>
    IoError Allocate(long bytes);

    /// <summary>
    /// Gives the space of whole blocks in this range back to the file system: they read as zeros from now on, also through maps, and a
    /// later write needs space again. The length stays. Like a write it lasts only after a sync. <see cref="IoErrorKind.NotSupported"/>,
    /// with nothing changed, where the file system cannot.
    /// </summary>
    IoError Punch(long offset, long bytes);

    /// <summary>
    /// Maps bytes 0 … <paramref name="bytes"/> read-only (never past the end of the file) and gives their address. A later call with a
    /// larger length extends the map; every address given out stays valid until the file is disposed. The map is coherent with <see
    /// cref="Write"/> on the same file when it is not unbuffered.
    /// </summary>
    IoError Map(long bytes, out nint address);

    /// <summary>
    /// Brings mapped bytes into memory, so that what the device cannot read is an error here: a touch of the map would end the process.
    /// They may leave memory again when it is short.
    /// </summary>
    IoError Populate(long offset, long bytes) => IoError.Success;

    /// <summary>Says that the map will be read in random order, so that the system does not read ahead of each touch.</summary>
    void ExpectRandomReads()
    {
    }

    /// <summary>Has mapped bytes read into memory without waiting for them. Only a hint: a failure shows when they are read.</summary>
    void ReadAhead(long offset, long bytes)
    {
    }

    /// <summary>Whether all of these mapped bytes are in memory; true where the system does not tell.</summary>
    bool IsInMemory(long offset, long bytes) => true;

    /// <summary>
    /// Drops the pages of the first <paramref name="bytes"/> bytes of a buffered file from the page cache, as far as they are written out
    /// and not mapped, where the system has such a call. The content does not change, unless the cache showed bytes that never reached the
    /// device. Returns the offset of the first such bytes that stay cached because another process has them mapped; −1 if there are none,
    /// or if pages stay that cannot be compared with the device: then <paramref name="isKnown"/> is false.
    /// </summary>
    long ForgetCached(long bytes, out bool isKnown)
    {
        isKnown = true;
        return -1;
    }

    /// <summary>
    /// Takes the whole-file lock of this open file without waiting; <see cref="IoErrorKind.Locked"/> when someone else, this process
    /// included, has it. Released by dispose or the end of the process.
    /// </summary>
    IoError TryLock(bool exclusive);

    /// <summary>
    /// Takes one of the locks that the file has beside that of the whole file, without waiting; <see cref="IoErrorKind.Locked"/> when
    /// another open file has it. Slot 0 and the lock of the whole file exclude each other. <see cref="IoErrorKind.NotSupported"/> where
    /// there are no such locks.
    /// </summary>
    IoError TryLockSlot(int slot, bool exclusive) => new(IoErrorKind.NotSupported, 0);

    /// <summary>Whether another open file has a slot's lock exclusively.</summary>
    bool IsSlotLocked(int slot) => false;

    /// <summary>The id of a process that has a lock of this file; 0 when the system does not tell.</summary>
    int FindLockHolder() => 0;
}

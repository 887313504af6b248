using System.Globalization;
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.IO;

namespace Voron.Storage.Journal;

/// <summary>
/// The journal directory of one database: the names and headers of its files. A chunk is identified by its header, never by its date or
/// its place in a listing.
/// </summary>
internal sealed class JournalFiles(IDisk disk, string directory, DatabaseId databaseId)
{
    internal IDisk Disk { get; } = disk;

    internal string Directory { get; } = directory;

    internal DatabaseId DatabaseId { get; } = databaseId;

    /// <summary>What was written last, for consumers that follow the journal in this process.</summary>
    internal JournalTail Tail { get; } = new();

    /// <summary>The room of spare chunks.</summary>
    internal SpareRoom SpareRoom { get; } = new();

    /// <summary>Whether other processes read chunks: then none may get other content, and a deleted one stays as it is for them.</summary>
    internal Func<bool> AreReadOutside { get; init; } = static () => false;

    internal string PathOf(ChunkKind kind, long sequence) => Path.Combine(
        Directory,
        sequence.ToString("D16", CultureInfo.InvariantCulture)
        + (kind == ChunkKind.Commit ? FormatConstants.CommitChunkSuffix : FormatConstants.PageChunkSuffix));

    internal string SparePath(ChunkKind kind, long sequence) => Path.Combine(
        Directory,
        FormatConstants.SpareChunkPrefix + (kind == ChunkKind.Commit ? "c" : "p")
        + sequence.ToString("D16", CultureInfo.InvariantCulture) + FormatConstants.SpareChunkSuffix);

    /// <summary>
    /// Returns the sound chunks of this database, in order of sequence. A file counts only under the name that its header requires: a copy
    /// under another name may be older.
    /// </summary>
    internal List<Chunk> ListChunks(ChunkKind kind)
    {
        List<Chunk> chunks = [];
        foreach (long sequence in ListSequences(kind))
        {
            if (Judge(kind, sequence, out Chunk chunk) == ChunkState.Sound)
            {
                chunks.Add(chunk);
            }
        }

        return chunks;
    }

    /// <summary>
    /// Returns the sequences of all files named like chunks, sound or not, in order. New chunks get higher ones, so that none is replaced.
    /// </summary>
    internal List<long> ListSequences(ChunkKind kind)
    {
        string suffix = kind == ChunkKind.Commit ? FormatConstants.CommitChunkSuffix : FormatConstants.PageChunkSuffix;
        List<long> sequences = [];
        foreach (string path in ListPaths(suffix))
        {
            string digits = Path.GetFileName(path)[..^suffix.Length];
            if (long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out long sequence)
                && sequence > 0
                && PathOf(kind, sequence) == path)
            {
                sequences.Add(sequence);
            }
        }

        sequences.Sort();
        return sequences;
    }

    /// <summary>Reads the header of a chunk; <paramref name="chunk"/> is valid only if the result is Sound.</summary>
    internal ChunkState Judge(ChunkKind kind, long sequence, out Chunk chunk)
    {
        chunk = default;
        string path = PathOf(kind, sequence);
        IoError error = Disk.OpenFile(path, FileOpening.ReadOnly, out IDiskFile? file);
        if (error.Kind == IoErrorKind.NotFound)
        {
            return ChunkState.Missing;
        }

        IO.Throw.IfFailed(error, "open", path);
        using (file)
        {
            return Judge(file!, kind, sequence, out chunk);
        }
    }

    /// <summary>Returns the database that most sound chunks of a journal belong to, for a salvage without a header slot.</summary>
    internal static DatabaseId GuessDatabaseId(IDisk disk, string directory)
    {
        Dictionary<DatabaseId, int> counts = [];
        JournalFiles files = new(disk, directory, default);
        foreach (string path in files.ListPaths(string.Empty))
        {
            if (!IsSpare(path) && TryReadHeader(disk, path, out ChunkHeader header))
            {
                DatabaseId id = new(header.DatabaseIdLow, header.DatabaseIdHigh);
                counts[id] = counts.GetValueOrDefault(id) + 1;
            }
        }

        return counts.Count == 0 ? default : counts.MaxBy(static pair => pair.Value).Key;
    }

    /// <summary>
    /// Deletes the spare chunks left from an earlier use of the environment. One that cannot be deleted does no harm: its contents are
    /// ignored, a new spare of that name overwrites it, and the next open or close tries again. Returns the reason for the first one that
    /// could not be deleted.
    /// </summary>
    internal StorageException? DeleteSpares()
    {
        List<string> names = [];
        IoError listed = Disk.ListFiles(Directory, names);
        if (listed.Failed)
        {
            return IO.Throw.Make(listed, "list", Directory);
        }

        StorageException? refusal = null;
        names.RemoveAll(static name => !IsSpare(name) || !name.EndsWith(FormatConstants.SpareChunkSuffix, StringComparison.Ordinal));
        foreach (string name in names)
        {
            string path = Path.Combine(Directory, name);
            IoError deleted = Disk.Delete(path);
            if (deleted.Failed)
            {
                refusal ??= IO.Throw.Make(deleted, "delete", path);
            }
        }

        return refusal;
    }

    /// <summary>
    /// Syncs all files and drops them from the page cache, so that later reads come from the device. In an unbuffered journal only headers
    /// are cached. Returns the reason why that is in doubt for a file, or null.
    /// </summary>
    internal string? SyncAll()
    {
        string? doubt = null;
        foreach (string path in ListPaths(string.Empty))
        {
            if (IsSpare(path))
            {
                continue;
            }

            IO.Throw.IfFailed(Disk.OpenFile(path, FileOpening.None, out IDiskFile? file), "open", path);
            using (file)
            {
                doubt = PageCache.SyncAndForget(file!) ?? doubt;
            }
        }

        return doubt;
    }

    private static bool IsSpare(string path) =>
        Path.GetFileName(path).StartsWith(FormatConstants.SpareChunkPrefix, StringComparison.Ordinal);

    /// <summary>Lists files; none if the directory is missing: a read-only open creates nothing, and reports what it misses.</summary>
    private List<string> ListPaths(string suffix)
    {
        List<string> names = [];
        IoError error = Disk.ListFiles(Directory, names);
        IO.Throw.IfFailed(error.Kind == IoErrorKind.NotFound ? IoError.Success : error, "list", Directory);
        names.RemoveAll(name => !name.EndsWith(suffix, StringComparison.Ordinal));
        return names.ConvertAll(name => Path.Combine(Directory, name));
    }

    private static bool TryReadHeader(IDisk disk, string path, out ChunkHeader header)
    {
        byte[] bytes = new byte[ChunkHeader.SizeBytes];
        IO.Throw.IfFailed(disk.OpenFile(path, FileOpening.ReadOnly, out IDiskFile? file), "open", path);
        using (file)
        {
            IoError error = file!.Read(0, bytes, out _);
            if (error.IsUnreadable)
            {
                header = default;
                return false;
            }

            IO.Throw.IfFailed(error, "read", path, 0);
        }

        header = MemoryMarshal.Read<ChunkHeader>(bytes);
        return header.Magic == FormatConstants.ChunkMagic && header.Checksum == Checksum.Compute(bytes.AsSpan(sizeof(ulong)));
    }

    private ChunkState Judge(IDiskFile file, ChunkKind kind, long sequence, out Chunk chunk)
    {
        Span<byte> bytes = stackalloc byte[ChunkHeader.SizeBytes];
        IO.Throw.IfFailed(file.GetLength(out long length), "read the length of", file.Path);
        IoError error = file.Read(0, bytes, out int read);
        if (error.IsUnreadable)
        {
            // Do not skip it: its records can prove a loss, as with any other damaged header.
            chunk = default;
            return ChunkState.Damaged;
        }

        IO.Throw.IfFailed(error, "read", file.Path, 0);
        ChunkHeader header = MemoryMarshal.Read<ChunkHeader>(bytes);
        if (read < Math.Min(bytes.Length, length))
        {
            // If it were treated as a damaged chunk, it would be skipped with all of its records.
            Throw.ShortRead(file.Path, read, Math.Min(bytes.Length, length));
        }

        chunk = new Chunk(file.Path, header.Sequence, header.Salt, header.ChunkBytes) { PreviousSequence = header.PreviousSequence };
        if (read < bytes.Length
            || header.Magic != FormatConstants.ChunkMagic
            || header.Checksum != Checksum.Compute(bytes[sizeof(ulong)..]))
        {
            return ChunkState.Damaged;
        }

        if (header.FormatVersion != FormatConstants.FormatVersion)
        {
            Throw.ChunkVersion(file.Path, header.FormatVersion);
        }

        if (header.DatabaseIdLow != DatabaseId.Low || header.DatabaseIdHigh != DatabaseId.High)
        {
            return ChunkState.Foreign;
        }

        bool fits = header.Kind == kind
            && header.Sequence == sequence
            && header.PreviousSequence >= 0
            && header.PreviousSequence < sequence
            && header.ChunkBytes > FormatConstants.ChunkBodyOffset
            && header.ChunkBytes <= length;
        return fits ? ChunkState.Sound : ChunkState.Damaged;
    }
}

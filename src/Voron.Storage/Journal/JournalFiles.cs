using System.Globalization;
using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Platform;

namespace Voron.Storage.Journal;

/// <summary>
/// The journal directory of one database: names of its files and what their headers say. A chunk is known by its header, never by its name, date or place in a listing.
/// </summary>
internal sealed class JournalFiles(IDisk disk, string directory, DatabaseId databaseId)
{
    internal IDisk Disk { get; } = disk;

    internal string Directory { get; } = directory;

    internal DatabaseId DatabaseId { get; } = databaseId;

    internal string PathOf(ChunkKind kind, long sequence) => Path.Combine(
        Directory,
        sequence.ToString("D16", CultureInfo.InvariantCulture)
        + (kind == ChunkKind.Commit ? FormatConstants.CommitChunkSuffix : FormatConstants.PageChunkSuffix));

    internal string SparePath(ChunkKind kind, long sequence) => Path.Combine(
        Directory,
        FormatConstants.SpareChunkPrefix + (kind == ChunkKind.Commit ? "c" : "p")
        + sequence.ToString("D16", CultureInfo.InvariantCulture) + FormatConstants.SpareChunkSuffix);

    /// <summary>The chunks of this database by their headers, in order of sequence. Files without a sound header of ours are left out; they are cut preparations or foreign.</summary>
    internal List<Chunk> ListChunks(ChunkKind kind)
    {
        List<Chunk> chunks = [];
        foreach (string path in ListPaths(kind == ChunkKind.Commit ? FormatConstants.CommitChunkSuffix : FormatConstants.PageChunkSuffix))
        {
            if (TryReadHeader(path, kind, out Chunk chunk))
            {
                chunks.Add(chunk);
            }
        }

        chunks.Sort(static (a, b) => a.Sequence.CompareTo(b.Sequence));
        return chunks;
    }

    /// <summary>Spare chunks belong to nobody; an earlier life's are not worth keeping.</summary>
    internal void DeleteSpares()
    {
        foreach (string path in ListPaths(FormatConstants.SpareChunkSuffix))
        {
            Platform.Throw.IfFailed(Disk.Delete(path), "delete", path);
        }
    }

    /// <summary>Makes whatever a killed predecessor left in the cache durable.</summary>
    internal void SyncAll()
    {
        foreach (string path in ListPaths(string.Empty))
        {
            Platform.Throw.IfFailed(Disk.OpenFile(path, FileOpening.None, out IDiskFile? file), "open", path);
            using (file)
            {
                Platform.Throw.IfFailed(file!.SyncData(), "sync", path);
            }
        }
    }

    private List<string> ListPaths(string suffix)
    {
        List<string> names = [];
        Platform.Throw.IfFailed(Disk.ListFiles(Directory, names), "list", Directory);
        names.RemoveAll(name => !name.EndsWith(suffix, StringComparison.Ordinal));
        return names.ConvertAll(name => Path.Combine(Directory, name));
    }

    private bool TryReadHeader(string path, ChunkKind kind, out Chunk chunk)
    {
        chunk = default;
        Platform.Throw.IfFailed(Disk.OpenFile(path, FileOpening.ReadOnly, out IDiskFile? file), "open", path);
        using (file)
        {
            Span<byte> bytes = stackalloc byte[ChunkHeader.SizeBytes];
            Platform.Throw.IfFailed(file!.GetLength(out long length), "read the length of", path);
            Platform.Throw.IfFailed(file.Read(0, bytes, out int read), "read", path, 0);
            ChunkHeader header = MemoryMarshal.Read<ChunkHeader>(bytes);
            bool ours = read == bytes.Length
                && header.Magic == FormatConstants.ChunkMagic
                && header.Checksum == Checksum.Compute(bytes[sizeof(ulong)..])
                && header.Kind == kind
                && header.FormatVersion == FormatConstants.FormatVersion
                && header.DatabaseIdLow == DatabaseId.Low
                && header.DatabaseIdHigh == DatabaseId.High
                && header.Sequence > 0
                && header.ChunkBytes <= length;
            chunk = new Chunk(path, header.Sequence, header.Salt, header.ChunkBytes, header.PreviousSequence);
            return ours;
        }
    }
}

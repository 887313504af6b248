using System.Diagnostics.CodeAnalysis;
using Voron.Storage.Format;

namespace Voron.Storage.Journal;

/// <summary>
/// Locates the images of image sets through read-only maps of the page chunks: whole sets can be applied to the data file without a copy
/// in memory. Files and addresses are valid until dispose.
/// </summary>
/// <param name="files">The journal.</param>
/// <param name="chunks">Its page chunks.</param>
/// <param name="maps">False to map nothing and read all images by position.</param>
internal sealed class MappedImages(JournalFiles files, IReadOnlyList<Chunk> chunks, bool maps = true) : IDisposable
{
    private readonly Dictionary<long, (IDiskFile File, nint Address)> _maps = [];

    internal IReadOnlyList<Chunk> Chunks { get; } = chunks;

    /// <summary>
    /// Locates the image of an entry; returns false if the chunk is missing or too short. The image itself is not checked.
    /// </summary>
    internal bool TryLocate(in ImageEntry entry, int pageBytes, [NotNullWhen(true)] out IDiskFile? file, out nint address)
    {
        (file, address) = (null, 0);
        long sequence = entry.Sequence;
        int index = -1;
        for (int i = 0; i < Chunks.Count && index < 0; i++)
        {
            index = Chunks[i].Sequence == sequence ? i : -1;
        }

        if (index < 0
            || entry.PageCount < 1
            || entry.PageCount > Array.MaxLength / pageBytes
            || entry.Offset < FormatConstants.ChunkBodyOffset
            || entry.Offset % FormatConstants.BlockBytes != 0
            || entry.Offset > Chunks[index].Bytes - (entry.PageCount * pageBytes))
        {
            return false;
        }

        (file, nint start) = Open(Chunks[index]);
        address = maps ? start + (nint)entry.Offset : 0;
        return true;
    }

    public void Dispose()
    {
        foreach ((IDiskFile file, _) in _maps.Values)
        {
            file.Dispose();
        }

        _maps.Clear();
    }

    private (IDiskFile File, nint Address) Open(in Chunk chunk)
    {
        if (_maps.TryGetValue(chunk.Sequence, out (IDiskFile File, nint Address) known))
        {
            return known;
        }

        IO.Throw.IfFailed(files.Disk.OpenFile(chunk.Path, FileOpening.ReadOnly, out IDiskFile? file), "open", chunk.Path);
        nint address = 0;
        IoError mapped = maps ? file!.Map(chunk.Bytes, out address) : IoError.Success;
        if (mapped.Failed)
        {
            file!.Dispose();
        }

        IO.Throw.IfFailed(mapped, "map", chunk.Path);
        _maps.Add(chunk.Sequence, (file!, address));
        return (file!, address);
    }
}

// Unsafe fence. Bounds: an image is read only if its offset and length are within the mapped chunk; views are counted under the
// version table's gate, and a chunk is unmapped only when no version is a view of it.
using Voron.Storage.Format;
using Voron.Storage.Threads;

namespace Voron.Storage.Versions;

/// <summary>
/// Page chunks that are mapped because page versions are views of images in them: a page whose place in the data file is still read by an
/// old snapshot needs no memory for its newer content. Nothing is written to a chunk while it is here.
/// </summary>
/// <param name="gate">The gate of the version table.</param>
internal sealed unsafe class ChunkViews(Gate gate) : IDisposable
{
    private readonly List<MappedChunk?> _chunks = [];

    /// <summary>Adds a mapped, complete chunk, takes over its file, and returns the number that versions refer to it by.</summary>
    internal int Add(IDiskFile file, long sequence, nint address, long bytes)
    {
        gate.AssertHeld();
        MappedChunk chunk = new(file, sequence, address, bytes);
        int free = _chunks.IndexOf(null);
        if (free >= 0)
        {
            _chunks[free] = chunk;
            return free;
        }

        _chunks.Add(chunk);
        return _chunks.Count - 1;
    }

    /// <summary>Returns the number of the mapped chunk of this sequence, or −1.</summary>
    internal int Find(long sequence) => _chunks.FindIndex(chunk => chunk?.Sequence == sequence);

    /// <summary>Returns the number of versions that are views of the chunk; 0 if it is not mapped.</summary>
    internal int CountOf(long sequence)
    {
        gate.AssertHeld();
        return Find(sequence) is >= 0 and int number ? _chunks[number]!.Views : 0;
    }

    /// <summary>Returns the address of the image. Throws unless the map shows it as it was written.</summary>
    internal nint Verified(int number, PageNumber page, long offset, long bytes, ulong checksum)
    {
        MappedChunk chunk = _chunks[number]!;
        if (offset < FormatConstants.ChunkBodyOffset || offset > chunk.Bytes - bytes)
        {
            Throw.WrongPage(chunk.File.Path, page, $"an image within {chunk.Bytes} bytes", $"one of {bytes} bytes at offset {offset}");
        }

        if (chunk.File.Populate(offset, bytes) is { Failed: true } error)
        {
            Throw.Unreadable(chunk.File.Path, page, error);
        }

        nint address = chunk.Address + (nint)offset;
        ulong found = Checksum.Compute(new ReadOnlySpan<byte>((byte*)address + sizeof(ulong), checked((int)bytes) - sizeof(ulong)));
        if (*(ulong*)address != checksum || found != checksum)
        {
            Throw.BadChecksum(chunk.File.Path, page, checksum, found);
        }

        return address;
    }

    /// <summary>Counts a version that became a view of the chunk.</summary>
    internal void Count(int number)
    {
        gate.AssertHeld();
        _chunks[number]!.Views++;
    }

    /// <summary>Counts a view that was freed; no thread reads there any more.</summary>
    internal void Release(int number)
    {
        gate.AssertHeld();
        _chunks[number]!.Views--;
    }

    /// <summary>Unmaps chunks without views and adds the sequences of the others to the set.</summary>
    internal void DropUnused(HashSet<long> stillMapped)
    {
        gate.AssertHeld();
        for (int i = 0; i < _chunks.Count; i++)
        {
            if (_chunks[i] is not { } chunk)
            {
                continue;
            }

            if (chunk.Views > 0)
            {
                stillMapped.Add(chunk.Sequence);
            }
            else
            {
                _chunks[i] = null;
                chunk.File.Dispose();
            }
        }
    }

    public void Dispose()
    {
        foreach (MappedChunk? chunk in _chunks)
        {
            chunk?.File.Dispose();
        }

        _chunks.Clear();
    }

    private sealed class MappedChunk(IDiskFile file, long sequence, nint address, long bytes)
    {
        internal IDiskFile File { get; } = file;

        internal long Sequence { get; } = sequence;

        internal nint Address { get; } = address;

        internal long Bytes { get; } = bytes;

        internal int Views { get; set; }
    }
}

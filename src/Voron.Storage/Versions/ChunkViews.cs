// Unsafe fence. Bounds: an image is looked at only when its offset and length lie within the mapped chunk; views are counted under the
// version table's gate, and a chunk is unmapped only when no version is a view of it.
using Voron.Storage.Format;
using Voron.Storage.Threads;

namespace Voron.Storage.Versions;

/// <summary>
/// Page chunks that are mapped because images in them stand for page versions: a page whose place in the data file is still read by an old
/// snapshot needs no memory for its newer content, the chunk has it. Nothing is written to a chunk while it is here.
/// </summary>
/// <param name="gate">The gate of the version table.</param>
internal sealed unsafe class ChunkViews(Gate gate) : IDisposable
{
    private readonly List<MappedChunk?> _chunks = [];

    /// <summary>
    /// Takes a mapped, complete chunk; the number stands for it in versions. The file is this object's from here on. The caller holds the
    /// gate.
    /// </summary>
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

    /// <summary>The number of the mapped chunk of this sequence, or −1.</summary>
    internal int Find(long sequence) => _chunks.FindIndex(chunk => chunk?.Sequence == sequence);

    /// <summary>Versions that are views of the chunk; 0 when it is not mapped. The caller holds the gate.</summary>
    internal int CountOf(long sequence)
    {
        gate.AssertHeld();
        return Find(sequence) is >= 0 and int number ? _chunks[number]!.Views : 0;
    }

    /// <summary>The image's address, when the map shows it as it was written; else it throws.</summary>
    internal nint Verified(int number, long page, long offset, long bytes, ulong checksum)
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

    /// <summary>A version became a view of the chunk. The caller holds the gate.</summary>
    internal void Count(int number)
    {
        gate.AssertHeld();
        _chunks[number]!.Views++;
    }

    /// <summary>A version that was a view is gone. The caller holds the gate and knows that nobody reads there any more.</summary>
    internal void Release(int number)
    {
        gate.AssertHeld();
        _chunks[number]!.Views--;
    }

    /// <summary>Unmaps chunks without views and adds the sequences of the others. The caller holds the gate.</summary>
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

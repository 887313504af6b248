namespace Voron.Simulation;

/// <summary>
/// The bytes of one file at one moment, in 4 KiB blocks that forks share until one of them writes. Holes are null blocks and read as zeros.
/// A fork costs one small object, so that a run can leave thousands of crash states behind; the hash follows the writes and is never
/// recomputed.
/// Invariant between calls of <see cref="WriteSector"/> and <see cref="Trim"/>: bytes at and beyond <see cref="Length"/> are zero.
/// </summary>
internal sealed class SimContent
{
    internal const int SectorBytes = 512;
    internal const int BlockBytes = 4096;
    private const int SectorsPerBlock = BlockBytes / SectorBytes;
    private static readonly byte[] ZeroSector = new byte[SectorBytes];

    private byte[]?[] _blocks;
    private ulong[]? _owned;
    private bool _tableIsShared;

    internal SimContent()
        : this([])
    {
    }

    private SimContent(byte[]?[] blocks) => _blocks = blocks;

    /// <summary>The file's length. Raising it needs no more than the assignment; lowering it needs <see cref="Trim"/> after.</summary>
    internal long Length { get; set; }

    /// <summary>Sum of the hashes of all sectors that are not zero; equal for equal bytes, whatever way they came about.</summary>
    internal Hash128 Sum { get; private set; }

    /// <summary>The hash of one sector at its place; zero sectors, and so holes, have none.</summary>
    internal static Hash128 HashOfSector(long sector, ReadOnlySpan<byte> bytes) =>
        bytes.IndexOfAnyExcept((byte)0) < 0 ? default : Hash128.Of(bytes, (ulong)sector + 1);

    internal SimContent Fork()
    {
        _owned = null;
        _tableIsShared = true;
        return new SimContent(_blocks) { Length = Length, Sum = Sum, _tableIsShared = true };
    }

    internal ReadOnlySpan<byte> Sector(long sector)
    {
        long block = sector / SectorsPerBlock;
        byte[]? bytes = block < _blocks.Length ? _blocks[block] : null;
        return bytes is null ? ZeroSector : bytes.AsSpan((int)(sector % SectorsPerBlock) * SectorBytes, SectorBytes);
    }

    /// <summary>Copies bytes without looking at the length: what lies beyond reads as zeros.</summary>
    internal void Read(long offset, Span<byte> destination)
    {
        while (destination.Length > 0)
        {
            long block = offset / BlockBytes;
            int within = (int)(offset % BlockBytes);
            int count = Math.Min(BlockBytes - within, destination.Length);
            byte[]? bytes = block < _blocks.Length ? _blocks[block] : null;
            if (bytes is null)
            {
                destination[..count].Clear();
            }
            else
            {
                bytes.AsSpan(within, count).CopyTo(destination);
            }

            destination = destination[count..];
            offset += count;
        }
    }

    internal void WriteSector(long sector, ReadOnlySpan<byte> bytes)
    {
        ReadOnlySpan<byte> old = Sector(sector);
        if (old.SequenceEqual(bytes))
        {
            return;
        }

        Sum = Sum - HashOfSector(sector, old) + HashOfSector(sector, bytes);
        byte[] block = Own(sector / SectorsPerBlock);
        bytes.CopyTo(block.AsSpan((int)(sector % SectorsPerBlock) * SectorBytes, SectorBytes));
    }

    /// <summary>Zeroes what lies at and beyond the length, so that a later growth shows zeros there.</summary>
    internal void Trim()
    {
        long sector = Length / SectorBytes;
        int kept = (int)(Length % SectorBytes);
        if (kept > 0)
        {
            Span<byte> last = stackalloc byte[SectorBytes];
            last.Clear();
            Sector(sector)[..kept].CopyTo(last);
            WriteSector(sector, last);
            sector++;
        }

        long end = (long)_blocks.Length * SectorsPerBlock;
        while (sector < end)
        {
            if (_blocks[sector / SectorsPerBlock] is null)
            {
                sector += SectorsPerBlock - (sector % SectorsPerBlock);
                continue;
            }

            WriteSector(sector, ZeroSector);
            sector++;
        }
    }

    private byte[] Own(long block)
    {
        if (_tableIsShared || block >= _blocks.Length)
        {
            int size = block >= _blocks.Length ? Math.Max((int)block + 1, _blocks.Length * 3 / 2) : _blocks.Length;
            byte[]?[] table = new byte[]?[size];
            _blocks.CopyTo(table, 0);
            _blocks = table;
            _tableIsShared = false;
        }

        int words = (_blocks.Length + 63) / 64;
        if (_owned is null || _owned.Length < words)
        {
            Array.Resize(ref _owned, words);
        }

        ref ulong word = ref _owned[block / 64];
        ulong bit = 1UL << (int)(block % 64);
        byte[]? bytes = _blocks[block];
        if (bytes is not null && (word & bit) != 0)
        {
            return bytes;
        }

        byte[] copy = bytes is null ? new byte[BlockBytes] : GC.AllocateUninitializedArray<byte>(BlockBytes);
        bytes?.CopyTo(copy, 0);
        _blocks[block] = copy;
        word |= bit;
        return copy;
    }
}

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

    private SimBlock?[] _blocks;
    private ulong[]? _owned;
    private bool _tableIsShared;

    internal SimContent()
        : this([])
    {
    }

    private SimContent(SimBlock?[] blocks) => _blocks = blocks;

    /// <summary>The file's length. Raising it needs no more than the assignment; lowering it needs <see cref="Trim"/> after.</summary>
    internal long Length { get; set; }

    /// <summary>Where a profile keeps it: what lies behind it reads as zeros after a cut.</summary>
    internal long Valid { get; set; } = long.MaxValue;

    /// <summary>Sum of the hashes of all sectors that are not zero; equal for equal bytes, whatever way they came about.</summary>
    internal Hash128 Sum { get; private set; }

    /// <summary>The hash of one sector at its place; zero sectors, and so holes, have none.</summary>
    internal static Hash128 HashOfSector(long sector, ReadOnlySpan<byte> bytes) =>
        bytes.IndexOfAnyExcept((byte)0) < 0 ? default : Hash128.Of(bytes, (ulong)sector + 1);

    internal SimContent Fork()
    {
        _owned = null;
        _tableIsShared = true;
        return new SimContent(_blocks) { Length = Length, Valid = Valid, Sum = Sum, _tableIsShared = true };
    }

    internal ReadOnlySpan<byte> Sector(long sector)
    {
        long block = sector / SectorsPerBlock;
        SimBlock? found = block < _blocks.Length ? _blocks[block] : null;
        return found is null ? ZeroSector : found.Bytes.AsSpan((int)(sector % SectorsPerBlock) * SectorBytes, SectorBytes);
    }

    /// <summary>The same as <see cref="HashOfSector"/> of these bytes, which was computed when they were written.</summary>
    internal Hash128 SectorHash(long sector)
    {
        long block = sector / SectorsPerBlock;
        SimBlock? found = block < _blocks.Length ? _blocks[block] : null;
        return found is null ? default : found.Hashes[(int)(sector % SectorsPerBlock)];
    }

    /// <summary>Copies bytes without looking at the length: what lies beyond reads as zeros.</summary>
    internal void Read(long offset, Span<byte> destination)
    {
        while (destination.Length > 0)
        {
            long block = offset / BlockBytes;
            int within = (int)(offset % BlockBytes);
            int count = Math.Min(BlockBytes - within, destination.Length);
            SimBlock? found = block < _blocks.Length ? _blocks[block] : null;

            // Fresh memory is stored to before a copy loads from it, or the system would back every page of it twice.
            destination[0] = 0;
            if (found is null)
            {
                destination[..count].Clear();
            }
            else
            {
                found.Bytes.AsSpan(within, count).CopyTo(destination);
            }

            destination = destination[count..];
            offset += count;
        }
    }

    internal void WriteSector(long sector, ReadOnlySpan<byte> bytes) => WriteSector(sector, bytes, HashOfSector(sector, bytes));

    /// <param name="sector">Its number.</param>
    /// <param name="bytes">A whole sector.</param>
    /// <param name="hash">Their <see cref="HashOfSector"/>, where the caller has it.</param>
    internal void WriteSector(long sector, ReadOnlySpan<byte> bytes, Hash128 hash)
    {
        Hash128 old = SectorHash(sector);
        if (old == hash)
        {
            return;
        }

        Sum = Sum - old + hash;
        SimBlock block = Own(sector / SectorsPerBlock);
        int within = (int)(sector % SectorsPerBlock);
        bytes.CopyTo(block.Bytes.AsSpan(within * SectorBytes, SectorBytes));
        block.Hashes[within] = hash;
    }

    /// <summary>Zeroes what lies at and beyond the length, so that a later growth shows zeros there.</summary>
    internal void Trim() => ZeroFrom(Length);

    /// <summary>Zeroes what is not valid, as the first look at the file after a cut finds it.</summary>
    internal void TrimToValid()
    {
        if (Valid < Length)
        {
            ZeroFrom(Valid);
        }
    }

    private void ZeroFrom(long bytes)
    {
        long sector = bytes / SectorBytes;
        int kept = (int)(bytes % SectorBytes);
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

    private SimBlock Own(long block)
    {
        if (_tableIsShared || block >= _blocks.Length)
        {
            int size = block >= _blocks.Length ? Math.Max((int)block + 1, _blocks.Length * 3 / 2) : _blocks.Length;
            SimBlock?[] table = new SimBlock?[size];
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
        SimBlock? found = _blocks[block];
        if (found is not null && (word & bit) != 0)
        {
            return found;
        }

        SimBlock copy = found is null ? new SimBlock() : found.Copy();
        _blocks[block] = copy;
        word |= bit;
        return copy;
    }
}

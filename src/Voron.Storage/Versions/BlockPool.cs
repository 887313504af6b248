// Unsafe fence. Bounds that callers guarantee: memory given to the pool exists as long as the pool; a block is returned with the class it
// was rented with; the gate of the version table is held. Every block is as long as its class.
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using Voron.Storage.IO;

namespace Voron.Storage.Versions;

/// <summary>Blocks in a few size classes, carved from given memory, with a free list for each class.</summary>
internal sealed unsafe class BlockPool
{
    internal const int LargestBlockBytes = 64 << 10;
    private const int SmallestBlockBytes = 256;
    private const int MostFetchedBytes = 512;

    private readonly byte*[] _free = new byte*[ClassOf(LargestBlockBytes) + 1];
    private byte* _carveAt;
    private byte* _carveEnd;

    /// <summary>Bytes of blocks in use.</summary>
    internal long UsedBytes { get; private set; }

    /// <summary>Bytes that are not carved yet.</summary>
    internal long Room => _carveEnd - _carveAt;

    /// <summary>Classes are 256, 384, 512, 768, 1024, … bytes: powers of two and the values halfway between.</summary>
    internal static int ClassOf(int bytes)
    {
        if (bytes <= SmallestBlockBytes)
        {
            return 0;
        }

        int power = BitOperations.Log2((uint)(bytes - 1));
        int halfway = ((bytes - 1) >> (power - 1)) & 1;
        return ((power - 8) * 2) + halfway + 1;
    }

    internal static int BytesOf(int index)
    {
        int power = SmallestBlockBytes << (index / 2);
        return (index & 1) == 0 ? power : power + (power / 2);
    }

    /// <summary>Carves from this memory from now on; abandons the rest of the memory before.</summary>
    internal void CarveFrom(byte* start, long bytes)
    {
        _carveAt = start;
        _carveEnd = start + bytes;
    }

    /// <summary>Whether a block of the one class and, if it is not negative, one of the other can be rented.</summary>
    internal bool CanServe(int index, int other)
    {
        long carved = _free[index] != null ? 0 : BytesOf(index);
        if (other >= 0)
        {
            bool isFree = other != index ? _free[other] != null : _free[index] != null && *(byte**)_free[index] != null;
            carved += isFree ? 0 : BytesOf(other);
        }

        return carved <= Room;
    }

    /// <summary>
    /// Carves small blocks out of a free block of a larger class; false if there is none. It never becomes a large block again.
    /// </summary>
    internal bool TrySplit(int index)
    {
        for (int larger = _free.Length - 1; larger > index; larger--)
        {
            byte* block = _free[larger];
            if (block != null)
            {
                _free[larger] = *(byte**)block;
                CarveFrom(block, BytesOf(larger));
                return true;
            }
        }

        return false;
    }

    /// <summary>Returns a block; null if none is free and there is no room to carve one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal byte* TryRent(int index)
    {
        byte* block = _free[index];
        if (block != null)
        {
            byte* next = *(byte**)block;
            _free[index] = next;
            Fetch(next, index);
        }
        else
        {
            block = TryCarve(BytesOf(index));
            if (block == null)
            {
                return null;
            }
        }

        UsedBytes += BytesOf(index);
        return block;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Return(byte* block, int index)
    {
        UsedBytes -= BytesOf(index);
        Poison(block, BytesOf(index));
        *(byte**)block = _free[index];
        _free[index] = block;
    }

    /// <summary>Prefetches the block that is rented and filled next.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Fetch(byte* block, int index)
    {
        int bytes = CacheLine.CanFetch ? Math.Min(BytesOf(index), MostFetchedBytes) : 0;
        for (int offset = 0; offset < bytes; offset += CacheLine.Bytes)
        {
            CacheLine.Fetch(block + offset);
        }
    }

    /// <summary>Poisons a returned block in the checked build, so that no check accepts what is read from it.</summary>
    [Conditional("CHECKED")]
    private static void Poison(byte* block, int bytes) => new Span<byte>(block, bytes).Fill(0xDD);

    /// <summary>Returns memory for something other than a block, or null; it is never returned.</summary>
    internal byte* TryCarve(long bytes)
    {
        if (Room < bytes)
        {
            return null;
        }

        byte* carved = _carveAt;
        _carveAt += bytes;
        return carved;
    }
}

using System.Runtime.CompilerServices;

namespace Voron.Simulation;

/// <summary>4 KiB of a file's content, with the hash of each of its sectors beside it.</summary>
internal sealed class SimBlock
{
    private SectorHashes _hashes;

    internal SimBlock()
        : this(new byte[SimContent.BlockBytes])
    {
    }

    private SimBlock(byte[] bytes) => Bytes = bytes;

    internal byte[] Bytes { get; }

    internal Span<Hash128> Hashes => _hashes;

    internal SimBlock Copy()
    {
        byte[] bytes = GC.AllocateUninitializedArray<byte>(SimContent.BlockBytes);
        Bytes.CopyTo(bytes, 0);
        return new SimBlock(bytes) { _hashes = _hashes };
    }

    [InlineArray(SimContent.BlockBytes / SimContent.SectorBytes)]
    private struct SectorHashes
    {
        private Hash128 _first;
    }
}

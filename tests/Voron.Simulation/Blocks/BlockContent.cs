namespace Voron.Simulation.Blocks;

/// <summary>What a device holds: blocks that are not all zeros.</summary>
internal sealed class BlockContent(long bytes)
{
    private const int BlockBytes = 4096;
    private readonly Dictionary<long, byte[]> _blocks = [];

    internal static BlockContent Load(string path)
    {
        using FileStream file = File.OpenRead(path);
        BlockContent content = new(file.Length);
        byte[] block = new byte[BlockBytes];
        for (long at = 0; at < file.Length; at += BlockBytes)
        {
            file.ReadExactly(block);
            if (block.AsSpan().ContainsAnyExcept((byte)0))
            {
                content._blocks.Add(at, (byte[])block.Clone());
            }
        }

        return content;
    }

    /// <summary>A copy that changes apart from this one; blocks are shared until written.</summary>
    internal BlockContent Copy()
    {
        BlockContent copy = new(bytes);
        foreach ((long at, byte[] block) in _blocks)
        {
            copy._blocks.Add(at, block);
        }

        return copy;
    }

    internal void Write(long offset, ReadOnlySpan<byte> source)
    {
        while (source.Length > 0)
        {
            int within = (int)(offset % BlockBytes);
            int count = Math.Min(BlockBytes - within, source.Length);
            byte[] block = new byte[BlockBytes];
            if (_blocks.TryGetValue(offset - within, out byte[]? old))
            {
                old.CopyTo(block, 0);
            }

            source[..count].CopyTo(block.AsSpan(within));
            _blocks[offset - within] = block;
            offset += count;
            source = source[count..];
        }
    }

    internal void Save(string path)
    {
        using FileStream file = new(path, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 0);
        file.SetLength(bytes);
        foreach ((long at, byte[] block) in _blocks)
        {
            RandomAccess.Write(file.SafeFileHandle, block, at);
        }
    }
}

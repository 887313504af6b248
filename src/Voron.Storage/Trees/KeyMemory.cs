namespace Voron.Storage.Trees;

/// <summary>
/// Memory for keys that a node stores in two parts (prefix and tail), joined here so that they are valid until their transaction ends. A
/// full block is left to the spans that refer to it; a new transaction reuses the current block from its start.
/// </summary>
internal sealed class KeyMemory
{
    private const int BlockBytes = 64 << 10;

    private Block? _block;

    /// <summary>Begins the next transaction: the memory that the last one took becomes invalid.</summary>
    internal void Reset()
    {
        if (_block is not null)
        {
            _block.Used = 0;
        }
    }

    /// <summary>Takes memory for a key. Threads that share a transaction may call this concurrently; each gets memory of its own.</summary>
    internal Span<byte> Take(int bytes)
    {
        while (true)
        {
            Block? block = Volatile.Read(ref _block);
            if (block is not null)
            {
                int end = Interlocked.Add(ref block.Used, bytes);
                if (end <= BlockBytes)
                {
                    return block.Bytes.AsSpan(end - bytes, bytes);
                }
            }

            Interlocked.CompareExchange(ref _block, new Block(), block);
        }
    }

    private sealed class Block
    {
        internal readonly byte[] Bytes = new byte[BlockBytes];
        internal int Used;
    }
}

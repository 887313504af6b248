namespace Voron.Storage.Trees;

/// <summary>
/// Where keys are put together that a node keeps in two parts, so that they are valid as long as their transaction. A block that is used
/// up is left to those who hold spans of it; a new transaction begins at the start of the present one.
/// </summary>
internal sealed class KeyMemory
{
    private const int BlockBytes = 64 << 10;

    private Block? _block;

    /// <summary>The next transaction begins: what the last one was given is void.</summary>
    internal void Reset()
    {
        if (_block is not null)
        {
            _block.Used = 0;
        }
    }

    /// <summary>Room for a key; two threads that share a transaction never get the same.</summary>
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

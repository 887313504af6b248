namespace Voron.Simulation.Blocks;

/// <summary>A power cut after the first so many entries of a log, and what it keeps of those that no flush has made durable.</summary>
internal readonly record struct BlockCut(int Position, BlockCutKind Kind, int Seed)
{
    /// <summary>ext4's superblock is longer than a sector and has one checksum: torn, it could not be mounted any more.</summary>
    private const int SuperblockBytes = 4096;

    /// <summary>
    /// Applies what is kept. The pending writes are those since the last flush; the order within a sector stays, so a lost newer write
    /// leaves an older one. Returns how many sectors, of so many bytes, were lost.
    /// </summary>
    internal int Apply(BlockLog log, int flushed, int sectorBytes, BlockContent content)
    {
        List<BlockEntry> pending = [];
        for (int i = flushed; i < Position; i++)
        {
            if (log.Entries[i].Kind == BlockEntryKind.Write)
            {
                pending.Add(log.Entries[i]);
            }
        }

        Random random = new(Seed);
        int chosen = random.Next(Math.Max(1, pending.Count));
        int lost = 0;
        for (int i = 0; i < pending.Count; i++)
        {
            double share = ShareOf(i, chosen, random);
            ReadOnlySpan<byte> bytes = log.BytesOf(pending[i]);
            for (long at = pending[i].Offset; bytes.Length > 0;)
            {
                int unit = at < SuperblockBytes ? SuperblockBytes : sectorBytes;
                int count = (int)Math.Min(bytes.Length, unit - (at % unit));
                bool isKept = random.NextDouble() < share;
                if (isKept)
                {
                    content.Write(at, bytes[..count]);
                }

                lost += isKept ? 0 : 1;
                at += count;
                bytes = bytes[count..];
            }
        }

        return lost;
    }

    /// <summary>The chance of each sector of a write.</summary>
    private double ShareOf(int index, int chosen, Random random) => Kind switch
    {
        BlockCutKind.Nothing => 0,
        BlockCutKind.Everything => 1,
        BlockCutKind.WithoutOne => index == chosen ? 0 : 1,
        BlockCutKind.OnlyOne => index == chosen ? 1 : 0,
        BlockCutKind.NewerFirst => index >= chosen ? 1 : 0,
        BlockCutKind.Writes => random.Next(2),
        BlockCutKind.Torn => random.Next(3) / 2.0,
        BlockCutKind.Sectors => 0.5,
        _ => throw new InvalidOperationException($"{Kind}"),
    };
}

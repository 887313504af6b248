using System.Collections.Concurrent;
using Voron.Simulation.Kills;

namespace Voron.Simulation.Blocks;

/// <summary>
/// One life of a writer and the cuts in it. The life begins with an image in which transaction <paramref name="begun"/> was found, so no
/// cut in it may find less.
/// </summary>
internal sealed class BlockTrial(
    BlockWorkspace workspace, BlockFileSystem system, BlockContent image, BlockLog log, ulong seed, long begun)
{
    private readonly List<int> _flushes =
        [.. Enumerable.Range(0, log.Entries.Count).Where(i => log.Entries[i].Kind == BlockEntryKind.Flush)];

    private readonly ConcurrentBag<BlockCut> _refused = [];

    internal BlockStatistics Statistics { get; } = new();

    /// <summary>Whether the file system refused to be mounted after a cut that was judged.</summary>
    internal bool IsRefused(BlockCut cut) => _refused.Contains(cut);

    /// <summary>Judges the cuts on all processors; each goes through the log once, from front to back.</summary>
    internal void Judge(IReadOnlyList<BlockCut> cuts)
    {
        BlockCut[] ordered = [.. cuts.OrderBy(static cut => cut.Position)];
        int share = Math.Max(1, (ordered.Length + Environment.ProcessorCount - 1) / Environment.ProcessorCount);
        try
        {
            Parallel.ForEach(ordered.Chunk(share).Index(), part => JudgePart(part.Index, part.Item));
        }
        catch (AggregateException failures)
        {
            throw failures.InnerExceptions[0];
        }
    }

    /// <summary>What a cut leaves, and the transaction that is found there.</summary>
    internal (BlockContent Image, long Found) Leave(BlockCut cut)
    {
        BlockContent content = Replay(image.Copy(), 0, FlushedAt(cut.Position));
        cut.Apply(log, FlushedAt(cut.Position), system.SectorBytes, content);
        return (content, Judge(cut, content, "base"));
    }

    /// <summary>Positions where a cut can lose something, or has just been promised something, are drawn more often than others.</summary>
    internal IReadOnlyList<BlockCut> Draw(int count, Random random)
    {
        HashSet<BlockCut> cuts = [];
        while (cuts.Count < count)
        {
            int position = random.Next(1, log.Entries.Count + 1);
            int way = random.Next(20);
            if (way < 12 && _flushes.Find(flush => flush >= position) is > 0 and var next)
            {
                position = next;
            }
            else if (way < 15 && log.Acknowledgements.Count > 0)
            {
                position = log.Acknowledgements[random.Next(log.Acknowledgements.Count)];
            }

            cuts.Add(new BlockCut(position, (BlockCutKind)(cuts.Count % Enum.GetValues<BlockCutKind>().Length), random.Next()));
        }

        return [.. cuts];
    }

    private void JudgePart(int part, BlockCut[] cuts)
    {
        BlockContent durable = image.Copy();
        int done = 0;
        foreach (BlockCut cut in cuts)
        {
            int flushed = FlushedAt(cut.Position);
            Replay(durable, done, flushed);
            done = flushed;
            BlockContent left = durable.Copy();
            int lost = cut.Apply(log, flushed, system.SectorBytes, left);
            long found;
            try
            {
                found = Judge(cut, left, FormattableString.Invariant($"judge-{part}"));
            }
            catch (UnmountableException) when (system.MayRefuse)
            {
                _refused.Add(cut);
                Statistics.CountRefused();
                continue;
            }

            Statistics.Count(lost, log.IsInsideCheckpoint(cut.Position), log.AcknowledgedAt(cut.Position), found);
        }
    }

    /// <summary>The position after the last flush before the cut.</summary>
    private int FlushedAt(int position)
    {
        int at = _flushes.FindLastIndex(flush => flush < position);
        return at < 0 ? 0 : _flushes[at] + 1;
    }

    private BlockContent Replay(BlockContent content, int from, int to)
    {
        foreach (BlockEntry entry in log.Entries.Skip(from).Take(to - from).Where(static entry => entry.Kind == BlockEntryKind.Write))
        {
            content.Write(entry.Offset, log.BytesOf(entry));
        }

        return content;
    }

    private long Judge(BlockCut cut, BlockContent left, string place)
    {
        long promised = Math.Max(begun, log.AcknowledgedAt(cut.Position));
        string file = workspace.PathOf(place + ".image");
        left.Save(file);
        try
        {
            return BlockJudge.Judge(system, file, workspace.DirectoryOf(place), seed, promised);
        }
        catch (Exception error) when (error is not UnmountableException || !system.MayRefuse)
        {
            left.Save(file);
            throw new InvalidOperationException($"{BlockJudge.Keep(file, system, seed, promised)} {cut}", error);
        }
    }
}

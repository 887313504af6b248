using Voron.CrashWriter;

namespace Voron.Simulation.Blocks;

/// <summary>
/// Lives of a writing process on one file system, cut again and again. Every few lives the file system is new; in between, a life begins
/// with what a cut in the one before has left, so cuts also hit the recovery of file system and engine.
/// </summary>
internal static class BlockLane
{
    private const int CutsPerLife = 50;
    private const int LivesPerFileSystem = 4;

    /// <summary>What a file system may refuse: at most one cut in so many, and a few besides.</summary>
    private const int RefusedOneIn = 20;

    private const int MostRefusedAnyway = 3;

    internal static BlockStatistics Run(BlockFileSystem system, int cuts, ulong seed, string? broken = null)
    {
        // The recovery of fast commits of ext4 fails after half of the cuts if spill files come and go all the time.
        seed -= system.MayRefuse ? seed % CrashWriting.Kinds : 0;
        using BlockWorkspace workspace = new();
        Random random = new((int)seed);
        BlockStatistics statistics = new();
        string image = workspace.PathOf("image");
        BlockContent content = null!;
        long begun = 0;
        for (int life = 0; statistics.Cuts < cuts; life++)
        {
            if (life % LivesPerFileSystem == 0)
            {
                File.Delete(image);
                system.Make(image);
                content = BlockContent.Load(image);
                begun = 0;
            }

            content.Save(image);
            BlockLog log = BlockWriter.Record(workspace, system, image, seed, messages: random.Next(40, 260), broken);
            BlockTrial trial = new(workspace, system, content, log, seed, begun);
            IReadOnlyList<BlockCut> drawn = trial.Draw(Math.Min(CutsPerLife, cuts - statistics.Cuts), random);
            trial.Judge(drawn);
            statistics.Add(trial.Statistics);
            if ((statistics.Refused - MostRefusedAnyway) * RefusedOneIn > statistics.Cuts)
            {
                throw new InvalidOperationException($"{system.Name} seldom comes back: {statistics}, seed {seed}");
            }

            BlockCut[] usable = [.. drawn.Where(cut => !trial.IsRefused(cut))];
            (content, begun) = usable.Length > 0 ? trial.Leave(usable[random.Next(usable.Length)]) : (content, begun);
        }

        return statistics;
    }
}

using Voron.Storage.Format;

namespace Voron.Simulation.Fuzz;

/// <summary>
/// The seed images: every shape in every page size. They are made when they are first asked for, from fixed seeds, so every process has
/// the same ones.
/// </summary>
internal static class FuzzCorpus
{
    /// <summary>Those of a kind stand together.</summary>
    private static readonly FuzzShape[] Shapes =
    [
        new("empty", FuzzEnd.Closed) { Transactions = 0 },
        new("one row", FuzzEnd.Closed) 
        {
            Transactions = 1, ChangesOfEach = 1, OverflowOneIn = 0, DeleteOneIn = 0, RangeOneIn = 0, BigOneIn = 0,
        },
        new("closed", FuzzEnd.Closed) { Transactions = 18 },
        new("killed"),
        new("deep") { Keys = 400, LongestKeyBytes = 900, BigOneIn = 2, OverflowOneIn = 0, RangeOneIn = 0 },
        new("overflow", FuzzEnd.Closed) { OverflowOneIn = 2, StreamOneIn = 0, Keys = 20, BigOneIn = 0 },
        new("streams") { OverflowOneIn = 2, StreamOneIn = 1, Keys = 16, BigOneIn = 0 },
        new("many trees") { Trees = 40, NameOneIn = 2, ChangesOfEach = 12 },
        new("fragments") { FragmentBytes = 2000, BigOneIn = 2, RollbackOneIn = 3, CheckpointOneIn = 9 },
        new("deferred")
        {
            ReaderOneIn = 2, ReaderStays = 9, CheckpointOneIn = 1, Transactions = 24, Keys = 900, BigOneIn = 3, OverflowOneIn = 40,
        },
        new("mid checkpoint", FuzzEnd.InCheckpoint) { CheckpointOneIn = 4 },
        new("mid second checkpoint", FuzzEnd.InCheckpoint) { CheckpointOneIn = 2, ReaderOneIn = 2, OverflowOneIn = 6 },
        new("recycled") { CheckpointOneIn = 1, Transactions = 30, ReaderOneIn = 0 },
        new("lazy tail") { LazyOneIn = 2, CheckpointOneIn = 8 },
        new("unclean journal") { CheckpointOneIn = 0, Transactions = 26, BigOneIn = 4 },
        new("holes") { DeleteOneIn = 2, RangeOneIn = 6, Keys = 300, BigOneIn = 3, CheckpointOneIn = 3 },
        new("mid opening", FuzzEnd.InOpening),
        new("cut", FuzzEnd.Cut) { CheckpointOneIn = 6, BigOneIn = 3 },
        new("multi fixed") { Kind = TreeKind.Multi, ValueBytes = 8, Keys = 6, BigOneIn = 3 },
        new("multi any", FuzzEnd.Closed) { Kind = TreeKind.Multi, Keys = 9, LongestKeyBytes = 200, BigOneIn = 3 },
        new("fixed numbers") { Kind = TreeKind.Fixed, ValueBytes = 8, Keys = 3000, BigOneIn = 2, DeleteOneIn = 9 },
        new("fixed guids", FuzzEnd.Closed) { Kind = TreeKind.Fixed, FixedKeyBytes = 16, ValueBytes = 40, Keys = 900, BigOneIn = 2 },
    ];

    private static readonly int[] PageSizes = [4096, 8192, 16384, 32768, 65536];

    /// <summary>Trials take the images of small pages more often: what they try is the same and copies less.</summary>
    private static readonly int[] Shares = [8, 3, 2, 1, 1];

    private static readonly FuzzSeedImage?[] Made = new FuzzSeedImage?[Shapes.Length * PageSizes.Length];

    internal static int Count => Made.Length;

    /// <summary>Not to be called by two threads at once.</summary>
    internal static FuzzSeedImage At(int index) => Made[index] ??=
        FuzzSeedImage.Make(Shapes[index / PageSizes.Length], PageSizes[index % PageSizes.Length], (ulong)index + 1);

    internal static FuzzSeedImage Choose(SimRandom random, TreeKind kind)
    {
        int share = random.Below(Shares.Sum());
        int size = 0;
        while (share >= Shares[size])
        {
            share -= Shares[size++];
        }

        int first = Array.FindIndex(Shapes, shape => shape.Kind == kind);
        int shape = first + random.Below(Shapes.Count(shape => shape.Kind == kind));
        return At((shape * PageSizes.Length) + size);
    }

    /// <summary>Another database with pages of the same size.</summary>
    internal static FuzzSeedImage Stranger(FuzzSeedImage image, SimRandom random)
    {
        int size = Array.IndexOf(PageSizes, image.PageBytes);
        int shapes = Array.FindLastIndex(Shapes, shape => shape.Kind == image.Kind) + 1;
        FuzzSeedImage other = At((random.Below(shapes) * PageSizes.Length) + size);
        int next = ((Array.IndexOf(Made, image) / PageSizes.Length) + 1) % shapes;
        return other != image ? other : At((next * PageSizes.Length) + size);
    }
}

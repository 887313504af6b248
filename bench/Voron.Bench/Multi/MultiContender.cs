using Voron.Bench.Peers;

namespace Voron.Bench.Multi;

/// <summary>A store in the verb multi, and what it did with the present shape.</summary>
internal sealed record MultiContender(string Name, StoreKind Kind, Func<string, int, IMultiStore> Open)
{
    internal const string SortedName = "lmdb dupsort";
    internal const string FixedName = "lmdb dupfixed";

    /// <summary>All of them, without rounds.</summary>
    internal static IReadOnlyList<MultiContender> All() =>
    [
        new(OurStore.Name, StoreKinds.Ours, static (folder, valueBytes) => new OurMultiStore(folder, valueBytes)),
        new(SortedName, StoreKinds.Lmdb, static (folder, valueBytes) => new LmdbMultiStore(folder, valueBytes, isFixed: false)),
        new(FixedName, StoreKinds.Lmdb, static (folder, valueBytes) => new LmdbMultiStore(folder, valueBytes, isFixed: true)),
    ];

    internal List<MultiRound> Rounds { get; } = [];

    /// <summary>Transactions a second, round by round.</summary>
    internal List<double> Short { get; } = [];

    internal double Median(Func<MultiRound, double> figure) => Spread.Of(Rounds.Select(figure)).Median;
}

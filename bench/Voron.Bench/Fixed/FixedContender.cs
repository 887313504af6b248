using Voron.Bench.Peers;

namespace Voron.Bench.Fixed;

/// <summary>A store in the verb fixed, and what it did.</summary>
internal sealed record FixedContender(string Name, StoreKind Kind, Func<string, IFixedStore> Open)
{
    internal const string OrderedName = OurStore.Name + " ordered tree";
    internal const string IntegerName = "lmdb integer keys";

    /// <summary>All of them, without rounds.</summary>
    internal static IReadOnlyList<FixedContender> All() =>
    [
        new(OurStore.Name, StoreKinds.Ours, static folder => new FixedTreeStore(folder)),
        new(OrderedName, StoreKinds.Ours, static folder => new OrderedTreeStore(folder)),
        new(IntegerName, StoreKinds.Lmdb, static folder => new LmdbFixedStore(folder)),
    ];

    internal List<FixedRound> Rounds { get; } = [];

    internal double Median(Func<FixedRound, double> figure) => Spread.Of(Rounds.Select(figure)).Median;
}

using System.Collections.Concurrent;
using System.Collections.Immutable;

namespace Voron.Storage.Tests.Stress;

/// <summary>
/// What every transaction of a life has left, trees by name and rows by number, in dictionaries that never change. A transaction's state is
/// there before the transaction can be visible.
/// </summary>
internal sealed class StressModel
{
    /// <summary>More than any reader falls behind between its registration and its question.</summary>
    private const int Kept = 20_000;

    private readonly ConcurrentDictionary<long, ImmutableDictionary<string, ImmutableSortedDictionary<int, StressRow>>> _states = new();
    private long _last;

    internal static ImmutableDictionary<string, ImmutableSortedDictionary<int, StressRow>> Empty { get; } =
        ImmutableDictionary<string, ImmutableSortedDictionary<int, StressRow>>.Empty;

    internal static ImmutableSortedDictionary<int, StressRow> NoRows { get; } = ImmutableSortedDictionary<int, StressRow>.Empty;

    /// <summary>The newest transaction that was begun to be committed.</summary>
    internal long Last => Volatile.Read(ref _last);

    internal ImmutableDictionary<string, ImmutableSortedDictionary<int, StressRow>> At(long transaction) =>
        _states.TryGetValue(transaction, out var state)
            ? state
            : throw new InvalidDataException($"a reader sees transaction {transaction}, which nothing has committed");

    /// <summary>Called on the thread that has the write transaction.</summary>
    internal void Set(long transaction, ImmutableDictionary<string, ImmutableSortedDictionary<int, StressRow>> state)
    {
        _states[transaction] = state;
        Volatile.Write(ref _last, transaction);
        _states.TryRemove(transaction - Kept, out _);
    }
}

using System.Runtime.CompilerServices;

namespace Voron.Storage.Transactions;

/// <summary>
/// Lets one thread at a time use the session, and only through handles of the transaction that is open. Both are decided in one step: a
/// stale handle never holds up, let alone ends, the transaction that has begun since. A second thread gets an exception; it does not wait.
/// <para>The word has the lower half of the generation, then a count of uses, and in its lowest bit whether one is going on.</para>
/// </summary>
internal struct OneCaller
{
    private const int GenerationShift = 32;

    private long _word;

    /// <summary>Differs from the value seen before when the transaction was changed in between.</summary>
    internal readonly uint Uses => (uint)Volatile.Read(in _word);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Enter(long generation)
    {
        if (!TryEnter(generation))
        {
            Refuse(generation);
        }
    }

    /// <summary>False when the transaction is in use or has ended.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryEnter(long generation)
    {
        long seen = Volatile.Read(ref _word);
        return (seen & 1) == 0 && IsOf(seen, generation) && Interlocked.CompareExchange(ref _word, seen + 1, seen) == seen;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Leave() => Leave(_word >> GenerationShift);

    /// <summary>Leaves; from here on only handles of this generation enter.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Leave(long generation)
    {
        uint uses = ((uint)_word | 1) + 1;
        Volatile.Write(ref _word, (generation << GenerationShift) | uses);
    }

    private static bool IsOf(long word, long generation) => (int)(word >> GenerationShift) == (int)generation;

    private readonly void Refuse(long generation)
    {
        if (!IsOf(Volatile.Read(in _word), generation))
        {
            Throw.TransactionEnded();
        }

        Throw.ConcurrentUse();
    }
}

using System.Runtime.CompilerServices;

namespace Voron.Storage.Transactions;

/// <summary>
/// Admits one thread at a time to the session, and only through handles of the open transaction. One atomic step checks both, so a stale
/// handle never delays or ends a later transaction. A second thread gets an exception; it does not wait.
/// <para>The word holds the lower half of the generation, then a count of uses; its lowest bit is set while a thread is inside.</para>
/// </summary>
internal struct OneCaller
{
    private const int GenerationShift = 32;

    private long _word;

    /// <summary>A value that changes with every use of the transaction.</summary>
    internal readonly uint Uses => (uint)Volatile.Read(in _word);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Enter(long generation)
    {
        if (!TryEnter(generation))
        {
            Refuse(generation);
        }
    }

    /// <summary>Enters; false if the transaction is in use or has ended.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryEnter(long generation)
    {
        long seen = Volatile.Read(ref _word);
        return (seen & 1) == 0 && IsOf(seen, generation) && Interlocked.CompareExchange(ref _word, seen + 1, seen) == seen;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Leave() => Leave(_word >> GenerationShift);

    /// <summary>Leaves; from then on only handles of this generation can enter.</summary>
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

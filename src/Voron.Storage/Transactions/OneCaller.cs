using System.Runtime.CompilerServices;

namespace Voron.Storage.Transactions;

/// <summary>Notices when two threads use a transaction at once; it does not make them wait.</summary>
internal struct OneCaller
{
    private int _busy;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Enter()
    {
        if (Interlocked.Exchange(ref _busy, 1) != 0)
        {
            Throw.ConcurrentUse();
        }
    }

    /// <summary>False when the transaction is in use.</summary>
    internal bool TryEnter() => Interlocked.Exchange(ref _busy, 1) == 0;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Leave() => Volatile.Write(ref _busy, 0);
}

namespace Voron.Native.Windows;

/// <summary>Waiting on words by WaitOnAddress; see <see cref="WordWait"/>.</summary>
internal static unsafe class WindowsWordWait
{
    private const uint NoLimit = 0xFFFF_FFFF;

    internal static bool Wait(int* word, int expected, TimeSpan timeout)
    {
        uint limit = NoLimit;
        if (timeout != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(timeout, TimeSpan.Zero);
            limit = (uint)Math.Min(Math.Ceiling(timeout.TotalMilliseconds), int.MaxValue);
        }

        return SynchronizationApi.WaitOnAddress(word, &expected, sizeof(int), limit) != 0
            || NativeResult.Last().Code != WindowsError.Timeout;
    }

    internal static void WakeAll(int* word) => SynchronizationApi.WakeByAddressAll(word);

    internal static void WakeOne(int* word) => SynchronizationApi.WakeByAddressSingle(word);
}

using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>Waits on an address.</summary>
internal static unsafe partial class SynchronizationApi
{
    /// <summary>WaitOnAddress.</summary>
    [LibraryImport("api-ms-win-core-synch-l1-2-0.dll", EntryPoint = "WaitOnAddress", SetLastError = true)]
    internal static partial int WaitOnAddress(int* word, int* expected, nuint bytes, uint milliseconds);

    /// <summary>WakeByAddressAll.</summary>
    [LibraryImport("api-ms-win-core-synch-l1-2-0.dll", EntryPoint = "WakeByAddressAll")]
    internal static partial void WakeByAddressAll(int* word);

    /// <summary>WakeByAddressSingle.</summary>
    [LibraryImport("api-ms-win-core-synch-l1-2-0.dll", EntryPoint = "WakeByAddressSingle")]
    internal static partial void WakeByAddressSingle(int* word);
}

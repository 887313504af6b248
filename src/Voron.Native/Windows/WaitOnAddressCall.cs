using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>WaitOnAddress.</summary>
internal static unsafe partial class WaitOnAddressCall
{
    [LibraryImport("api-ms-win-core-synch-l1-2-0.dll", EntryPoint = "WaitOnAddress", SetLastError = true)]
    internal static partial int Invoke(int* word, int* expected, nuint bytes, uint milliseconds);
}

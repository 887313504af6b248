using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>WakeByAddressAll.</summary>
internal static unsafe partial class WakeAllCall
{
    [LibraryImport("api-ms-win-core-synch-l1-2-0.dll", EntryPoint = "WakeByAddressAll")]
    internal static partial void Invoke(int* word);
}

using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>WakeByAddressSingle.</summary>
internal static unsafe partial class WakeOneCall
{
    [LibraryImport("api-ms-win-core-synch-l1-2-0.dll", EntryPoint = "WakeByAddressSingle")]
    internal static partial void Invoke(int* word);
}

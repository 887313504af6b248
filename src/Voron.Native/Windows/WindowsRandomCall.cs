using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>BCryptGenRandom.</summary>
internal static unsafe partial class WindowsRandomCall
{
    /// <summary>The source that the system prefers, without an algorithm to be opened for it.</summary>
    internal const uint OfSystem = 2;

    [LibraryImport("bcrypt", EntryPoint = "BCryptGenRandom")]
    internal static partial int Invoke(nint algorithm, byte* destination, uint bytes, uint flags);
}

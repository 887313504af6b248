using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>Functions of bcrypt.dll.</summary>
internal static unsafe partial class BCrypt
{
    /// <summary>The source that the system prefers, without an algorithm to be opened for it.</summary>
    internal const uint OfSystem = 2;

    /// <summary>BCryptGenRandom.</summary>
    [LibraryImport("bcrypt", EntryPoint = "BCryptGenRandom")]
    internal static partial int BCryptGenRandom(nint algorithm, byte* destination, uint bytes, uint flags);
}

namespace Voron.Native.Windows;

/// <summary>The library of the system's calls.</summary>
internal static class Kernel32
{
    internal const string Name = "kernel32.dll";

    /// <summary>What CreateFileW and FindFirstFileW give when they fail.</summary>
    internal const nint InvalidHandle = -1;
}

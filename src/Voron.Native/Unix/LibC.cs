namespace Voron.Native.Unix;

/// <summary>Name of the C library; the runtime turns it into the versioned file name of the system.</summary>
internal static class LibC
{
    internal const string Name = "libc";
}

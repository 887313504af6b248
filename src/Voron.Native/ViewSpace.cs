namespace Voron.Native;

/// <summary>
/// Address space set aside for the view of one file, which is mapped into it from the front on. An address in it, once given out, shows
/// the file until <see cref="Release"/>.
/// </summary>
internal abstract class ViewSpace(nint address, long bytes)
{
    internal nint Address => address;

    /// <summary>Bytes from the front on that show the file.</summary>
    internal long MappedBytes { get; set; }

    /// <summary>Bytes that the view may grow to; fewer than were set aside where the system gave a part to somebody else.</summary>
    internal long Bytes { get; set; } = bytes;

    /// <summary>Sets address space aside.</summary>
    internal static NativeResult Reserve(long bytes, out ViewSpace? space)
    {
        NativeResult reserved = OperatingSystem.IsWindows()
            ? Windows.WindowsViewSpace.Reserve(bytes, out space)
            : Unix.UnixViewSpace.Reserve(bytes, out space);
        NativeCounts.AddViews(space is null ? 0 : 1);
        return reserved;
    }

    /// <summary>False when the system cannot tell beforehand whether a touch would be survived.</summary>
    internal static bool TryPopulate(nint address, long bytes, out NativeResult result)
    {
        result = NativeResult.Success;
        return OperatingSystem.IsLinux() && Unix.UnixViewSpace.TryPopulate(address, bytes, out result);
    }

    /// <summary>
    /// Makes the first bytes show the file; whole pages of the system, of which the file has a part at least. The caller has looked that
    /// they are within <see cref="Bytes"/>.
    /// </summary>
    internal abstract NativeResult MapTo(long wanted, SystemFile file, bool isWritable);

    /// <summary>True when the view can grow to so many bytes and no address changes.</summary>
    internal abstract bool CanGrowTo(long wanted);

    /// <summary>Gives all of it back.</summary>
    internal abstract void Release();
}

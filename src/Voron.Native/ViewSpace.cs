namespace Voron.Native;

/// <summary>
/// Address space reserved for the view of one file, which is mapped into it from the start on. An address in it, once returned, shows the
/// file until <see cref="Release"/>.
/// </summary>
internal abstract class ViewSpace(nint address, long bytes)
{
    internal nint Address => address;

    /// <summary>Number of bytes from the start that show the file.</summary>
    internal long MappedBytes { get; set; }

    /// <summary>Number of bytes that the view may grow to; less than was reserved if the system gave a part to other memory.</summary>
    internal long Bytes { get; set; } = bytes;

    /// <summary>Reserves address space.</summary>
    internal static NativeResult Reserve(long bytes, out ViewSpace? space)
    {
        NativeResult reserved = OperatingSystem.IsWindows()
            ? Windows.WindowsViewSpace.Reserve(bytes, out space)
            : Unix.UnixViewSpace.Reserve(bytes, out space);
        NativeCounts.AddViews(space is null ? 0 : 1);
        return reserved;
    }

    /// <summary>
    /// Reads a range into memory; returns false if the system cannot tell in advance whether a touch would end the process.
    /// </summary>
    internal static bool TryPopulate(nint address, long bytes, out NativeResult result)
    {
        result = NativeResult.Success;
        return OperatingSystem.IsLinux() && Unix.UnixViewSpace.TryPopulate(address, bytes, out result);
    }

    /// <summary>Starts to read a range into memory, and does not wait for it.</summary>
    internal static void ReadAhead(nint address, long bytes)
    {
        if (OperatingSystem.IsWindows())
        {
            Windows.WindowsViewSpace.ReadAhead(address, bytes);
        }
        else
        {
            Unix.UnixViewSpace.ReadAhead(address, bytes);
        }
    }

    /// <summary>Whether all of a range is in memory; true where the system does not tell.</summary>
    internal static bool IsInMemory(nint address, long bytes) =>
        !OperatingSystem.IsLinux() || Unix.UnixViewSpace.IsInMemory(address, bytes);

    /// <summary>Tells the system that what is mapped will be read in random order.</summary>
    internal virtual void ExpectRandomReads()
    {
    }

    /// <summary>
    /// Maps the file into the first bytes: whole pages of the system, each of which contains at least a part of the file. The caller has
    /// checked that they are within <see cref="Bytes"/>.
    /// </summary>
    internal abstract NativeResult MapTo(long wanted, SystemFile file, bool isWritable);

    /// <summary>Returns whether the view can grow to this many bytes without changing an address.</summary>
    internal abstract bool CanGrowTo(long wanted);

    /// <summary>Releases all of the address space.</summary>
    internal abstract void Release();
}

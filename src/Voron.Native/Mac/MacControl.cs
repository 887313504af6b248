using Voron.Native.Unix;

namespace Voron.Native.Mac;

/// <summary>What fcntl(2) is asked for.</summary>
internal static unsafe class MacControl
{
    internal const int Preallocate = 42;
    internal const int NoCache = 48;
    internal const int FullSync = 51;

    /// <summary>
    /// fsync, and then the device empties its cache: fsync alone leaves the bytes there. Where the file system does not know the call it
    /// fails; nothing weaker is done in its place.
    /// </summary>
    internal static NativeResult Sync(NativeDirectory directory)
    {
        bool isHeld = false;
        try
        {
            directory.DangerousAddRef(ref isHeld);
            return Sync((int)directory.DangerousGetHandle());
        }
        finally
        {
            if (isHeld)
            {
                directory.DangerousRelease();
            }
        }
    }

    /// <inheritdoc cref="Sync(NativeDirectory)"/>
    internal static NativeResult Sync(int descriptor)
    {
        NativeResult result;
        do
        {
            result = MacLibC.Fcntl(descriptor, FullSync, 0) >= 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (Retry.Interrupted(result));
        return result;
    }

    /// <summary>Transfers go past the page cache from now on. True when the file system agreed.</summary>
    internal static bool TryBypassCache(int descriptor) => MacLibC.Fcntl(descriptor, NoCache, 1) >= 0;

    /// <summary>Sets space aside behind the end of the file, whose length stays.</summary>
    internal static NativeResult SetAside(int descriptor, long bytes)
    {
        NativeResult result;
        do
        {
            MacSpaceRequest request = new() { Flags = MacSpaceRequest.All, Position = MacSpaceRequest.BehindEnd, Bytes = bytes };
            result = MacLibC.Fcntl(descriptor, Preallocate, (nint)(&request)) >= 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (Retry.Interrupted(result));
        return result;
    }
}

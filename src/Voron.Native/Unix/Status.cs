namespace Voron.Native.Unix;

/// <summary>Asks for the status of an open file or of a name.</summary>
internal static unsafe class Status
{
    internal static NativeResult OfDescriptor(int descriptor, out FileStatus status)
    {
        byte empty = 0;
        return Ask(descriptor, &empty, FileStatus.EmptyPath, out status);
    }

    /// <summary>Status of what a zero-terminated name or path leads to, symbolic links followed.</summary>
    internal static NativeResult OfName(NativeDirectory directory, ReadOnlySpan<byte> name, out FileStatus status)
    {
        bool isHeld = false;
        try
        {
            directory.DangerousAddRef(ref isHeld);
            fixed (byte* pointer = name)
            {
                return Ask(directory.DangerousGetHandle(), pointer, 0, out status);
            }
        }
        finally
        {
            if (isHeld)
            {
                directory.DangerousRelease();
            }
        }
    }

    private static NativeResult Ask(nint directory, byte* path, int flags, out FileStatus status)
    {
        fixed (FileStatus* answer = &status)
        {
            *answer = default;
            nint result = LibC.Statx(CallNumbers.Here.Status, directory, path, flags, (nint)FileStatus.Wanted, answer);
            return result < 0 ? NativeResult.Last() : NativeResult.Success;
        }
    }
}

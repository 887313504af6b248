namespace Voron.Native.Unix;

/// <summary>Asks for the status of an open file or of a name.</summary>
internal static unsafe class Status
{
    internal static NativeResult OfDescriptor(int descriptor, out FileStatus status)
    {
        byte empty = 0;
        return Ask(descriptor, &empty, FileStatus.EmptyPath, out status);
    }

    /// <summary>Status of what a zero-terminated path leads to, symbolic links followed.</summary>
    internal static NativeResult OfPath(ReadOnlySpan<byte> path, out FileStatus status)
    {
        fixed (byte* pointer = path)
        {
            return Ask(FileStatus.CurrentDirectory, pointer, 0, out status);
        }
    }

    private static NativeResult Ask(int directory, byte* path, int flags, out FileStatus status)
    {
        fixed (FileStatus* answer = &status)
        {
            *answer = default;
            nint result = StatusCall.Invoke(
                CallNumbers.Here.Status, directory, path, flags, (nint)(FileStatus.WantBasic | FileStatus.WantDirectAlignment), answer);
            return result < 0 ? NativeResult.Last() : NativeResult.Success;
        }
    }
}

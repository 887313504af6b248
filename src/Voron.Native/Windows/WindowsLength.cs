namespace Voron.Native.Windows;

/// <summary>Length of an open file: asking, cutting, growing.</summary>
internal static unsafe class WindowsLength
{
    private const int AllocationClass = 5;
    private const int EndOfFileClass = 6;

    internal static NativeResult Get(nint handle, out long bytes)
    {
        long length = 0;
        NativeResult result = Kernel32.GetFileSizeEx(handle, &length) != 0 ? NativeResult.Success : NativeResult.Last();
        bytes = length;
        return result;
    }

    /// <summary>A file of which a part is mapped cannot be cut (ERROR_USER_MAPPED_FILE); nothing has changed then.</summary>
    internal static NativeResult Set(nint handle, long bytes) => Set(handle, EndOfFileClass, bytes);

    /// <summary>
    /// Sets space aside, then moves the end. What lies between the end of what was written and the end of the file reads as zeros without
    /// having been written.
    /// </summary>
    internal static NativeResult Allocate(nint handle, long bytes)
    {
        NativeResult result = Get(handle, out long length);
        if (result.Failed || length >= bytes)
        {
            return result;
        }

        result = Set(handle, AllocationClass, bytes);
        return result.Failed && !IsUnknown(result) ? result : Set(handle, bytes);
    }

    /// <summary>File systems that set nothing aside say so in several ways.</summary>
    private static bool IsUnknown(NativeResult result) => result.Code is WindowsError.InvalidFunction or WindowsError.NotSupported
        or WindowsError.InvalidParameter or WindowsError.InvalidLevel or WindowsError.CallNotImplemented;

    private static NativeResult Set(nint handle, int what, long value) =>
        Kernel32.SetFileInformationByHandle(handle, what, &value, sizeof(long)) != 0 ? NativeResult.Success : NativeResult.Last();
}

namespace Voron.Native.Unix;

/// <summary>Length of an open file: asking, cutting, growing; and holes.</summary>
internal static class FileLength
{
    private const int FromEnd = 2;
    private const int KeepLength = 1;
    private const int PunchHole = 2;

    internal static NativeResult Get(int descriptor, out long bytes)
    {
        bytes = LibC.Lseek(descriptor, 0, FromEnd);
        if (bytes >= 0)
        {
            return NativeResult.Success;
        }

        bytes = 0;
        return NativeResult.Last();
    }

    internal static NativeResult Set(int descriptor, long bytes)
    {
        NativeResult result;
        do
        {
            result = LibC.Ftruncate(descriptor, bytes) == 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (Retry.Interrupted(result));
        return result;
    }

    internal static NativeResult Allocate(int descriptor, long bytes)
    {
        NativeResult result = Get(descriptor, out long length);
        if (result.Failed || length >= bytes)
        {
            return result;
        }

        // From the present end: holes below it were punched on purpose.
        result = Invoke(descriptor, 0, length, bytes - length);
        return result.Code is Errno.OPNOTSUPP or Errno.NOSYS ? Set(descriptor, bytes) : result;
    }

    internal static NativeResult Punch(int descriptor, long offset, long bytes) =>
        Invoke(descriptor, KeepLength | PunchHole, offset, bytes);

    private static NativeResult Invoke(int descriptor, int mode, long offset, long bytes)
    {
        int attempts = 0;
        NativeResult result;
        do
        {
            result = LibC.Fallocate(descriptor, mode, offset, bytes) == 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (Retry.InterruptedOrBusy(result, ref attempts));
        return result;
    }
}

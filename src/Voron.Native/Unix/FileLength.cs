namespace Voron.Native.Unix;

/// <summary>Length of an open file: asking, cutting, growing.</summary>
internal static class FileLength
{
    private const int FromEnd = 2;

    internal static NativeResult Get(int descriptor, out long bytes)
    {
        bytes = SeekCall.Invoke(descriptor, 0, FromEnd);
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
            result = TruncateCall.Invoke(descriptor, bytes) == 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (Retry.Interrupted(result));
        return result;
    }

    internal static NativeResult Allocate(int descriptor, long bytes)
    {
        if (bytes == 0)
        {
            return NativeResult.Success;
        }

        int attempts = 0;
        NativeResult result;
        do
        {
            // From the beginning, not from the present end: holes below the end need space too.
            result = AllocateCall.Invoke(descriptor, 0, 0, bytes) == 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (Retry.InterruptedOrBusy(result, ref attempts));
        return result.Code is Errno.OPNOTSUPP or Errno.NOSYS ? Grow(descriptor, bytes) : result;
    }

    private static NativeResult Grow(int descriptor, long bytes)
    {
        NativeResult asked = Get(descriptor, out long length);
        return asked.Failed || length >= bytes ? asked : Set(descriptor, bytes);
    }
}

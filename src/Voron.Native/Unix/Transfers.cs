namespace Voron.Native.Unix;

/// <summary>Whole transfers made of system calls that may be interrupted or stop short.</summary>
internal static unsafe class Transfers
{
    internal static NativeResult ReadAll(int descriptor, byte* pointer, int bytes, long offset, bool direct, out int read)
    {
        read = 0;
        int attempts = 0;
        while (read < bytes)
        {
            nint step = LibC.Pread(descriptor, pointer + read, (nuint)(bytes - read), offset + read);
            if (step < 0)
            {
                NativeResult result = NativeResult.Last();
                if (Retry.InterruptedOrBusy(result, ref attempts))
                {
                    continue;
                }

                return result;
            }

            read += (int)step;
            if (step == 0)
            {
                break;
            }

            if (direct && read < bytes && !IsWhole(read))
            {
                // The rest is not aligned any more. At the end of the file that is how it should be; anywhere else bytes are missing.
                return IsAtEnd(descriptor, offset + read);
            }
        }

        return NativeResult.Success;
    }

    internal static NativeResult WriteAll(int descriptor, byte* pointer, int bytes, long offset, bool direct)
    {
        int written = 0;
        int attempts = 0;
        while (written < bytes)
        {
            nint step = LibC.Pwrite(descriptor, pointer + written, (nuint)(bytes - written), offset + written);
            if (step < 0)
            {
                NativeResult result = NativeResult.Last();
                if (Retry.InterruptedOrBusy(result, ref attempts))
                {
                    continue;
                }

                return result;
            }

            written += (int)step;
            if (step == 0 || (direct && written < bytes && !IsWhole(written)))
            {
                // No progress, or a rest that an unbuffered write cannot carry: the device did something that no retry mends.
                return new NativeResult(Errno.IO);
            }
        }

        return NativeResult.Success;
    }

    private static bool IsWhole(int bytes) => (bytes & (NativeFile.DirectAlignmentBytes - 1)) == 0;

    private static NativeResult IsAtEnd(int descriptor, long position)
    {
        NativeResult asked = FileLength.Get(descriptor, out long length);
        if (asked.Failed)
        {
            return asked;
        }

        return position >= length ? NativeResult.Success : new NativeResult(Errno.IO);
    }
}

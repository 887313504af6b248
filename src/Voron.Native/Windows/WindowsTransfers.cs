namespace Voron.Native.Windows;

/// <summary>Whole transfers.</summary>
internal static unsafe class WindowsTransfers
{
    internal static NativeResult ReadAll(nint handle, byte* pointer, int bytes, long offset, bool direct, out int read)
    {
        read = 0;
        int attempts = 0;
        while (read < bytes)
        {
            FileOffset at = new(offset + read);
            uint step = 0;
            if (Kernel32.ReadFile(handle, pointer + read, (uint)(bytes - read), &step, &at) == 0)
            {
                NativeResult result = NativeResult.Last();
                if (result.Code == WindowsError.HandleEndOfFile)
                {
                    return NativeResult.Success;
                }

                if (Patience.IsShortOfResources(result, ref attempts))
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
                NativeResult asked = WindowsLength.Get(handle, out long length);
                return asked.Failed || offset + read >= length ? asked : new NativeResult(WindowsError.IoDevice);
            }
        }

        return NativeResult.Success;
    }

    internal static NativeResult WriteAll(nint handle, byte* pointer, int bytes, long offset, bool direct)
    {
        int written = 0;
        int attempts = 0;
        while (written < bytes)
        {
            FileOffset at = new(offset + written);
            uint step = 0;
            if (Kernel32.WriteFile(handle, pointer + written, (uint)(bytes - written), &step, &at) == 0)
            {
                NativeResult result = NativeResult.Last();
                if (Patience.IsShortOfResources(result, ref attempts))
                {
                    continue;
                }

                return result;
            }

            written += (int)step;
            if (step == 0 || (direct && written < bytes && !IsWhole(written)))
            {
                // No progress, or a rest that an unbuffered write cannot carry: the device did something that no retry mends.
                return new NativeResult(WindowsError.IoDevice);
            }
        }

        return NativeResult.Success;
    }

    private static bool IsWhole(int bytes) => (bytes & (NativeFile.DirectAlignmentBytes - 1)) == 0;
}

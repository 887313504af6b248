namespace Voron.Native.Unix;

/// <summary>A file descriptor: what Linux and macOS do alike.</summary>
internal abstract unsafe class UnixFile(int descriptor, bool isDirect) : SystemFile
{
    private const uint ModeOfNewFiles = 0x1A4; // 0644

    internal int Descriptor => descriptor;

    internal override bool IsDirect => isDirect;

    internal static NativeResult OpenDescriptor(NativeDirectory directory, string name, int flags, out int descriptor)
    {
        int attempts = 0;
        NativeResult result;
        do
        {
            descriptor = OperatingSystem.IsMacOS()
                ? Mac.MacLibC.Openat(directory, name, flags, ModeOfNewFiles)
                : LibC.Openat(directory, name, flags, ModeOfNewFiles);
            result = descriptor >= 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (Retry.InterruptedOrBusy(result, ref attempts));
        return result;
    }

    internal override NativeResult Read(byte* pointer, int bytes, long offset, out int read) =>
        Transfers.ReadAll(descriptor, pointer, bytes, offset, isDirect, out read);

    internal override NativeResult Write(byte* pointer, int bytes, long offset) =>
        Transfers.WriteAll(descriptor, pointer, bytes, offset, isDirect);

    internal override NativeResult GetLength(out long bytes) => FileLength.Get(descriptor, out bytes);

    internal override NativeResult SetLength(long bytes) => FileLength.Set(descriptor, bytes);

    /// <summary>
    /// The result says nothing of use: what matters was synced before, and the system has freed the descriptor in any case.
    /// </summary>
    internal override void Close() => _ = LibC.Close(descriptor);
}

using Voron.Native;

namespace Voron.Storage.IO;

/// <summary>A write that the operating system makes while the caller continues.</summary>
internal sealed class NativeWrite(NativeWriteInFlight write) : IWriteInFlight
{
    public void Start(IDiskFile file, long offset, ReadOnlySpan<byte> source) => ((NativeDiskFile)file).Start(write, offset, source);

    public bool HasEnded => write.HasEnded;

    public IoError Wait() => IoErrorMapping.OfTransfer(write.Wait());

    public void Dispose() => write.Dispose();
}

using Voron.Native;

namespace Voron.Storage.IO;

/// <summary>
/// The alignment of unbuffered transfers, checked by every disk itself and also where a file system fell back to its cache: some accept
/// misaligned transfers silently, and an engine that is wrong must not be right by accident on the developer's disk.
/// </summary>
internal static class BlockTransfer
{
    internal static void Check(bool aligned, long offset, ReadOnlySpan<byte> bytes, string path)
    {
        if (aligned && !NativeFile.IsAligned(offset, bytes))
        {
            Throw.Misaligned(offset, bytes.Length, path);
        }
    }
}

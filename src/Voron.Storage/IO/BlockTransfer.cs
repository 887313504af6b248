using Voron.Native;

namespace Voron.Storage.IO;

/// <summary>
/// Checks the alignment of unbuffered transfers. Every disk does, also where a file system fell back to its cache: some accept misaligned
/// transfers silently, and a wrong engine must not work by accident on the disk of its developer.
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

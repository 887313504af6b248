using Voron.Storage.IO;

namespace Voron.Storage.Versions;

/// <summary>
/// Creates the spill files of an environment: files without a lasting name, with their space allocated, mapped for writing.
/// </summary>
internal sealed class SpillFiles(IDisk disk, string path, SpareRoom spareRoom)
{
    /// <summary>
    /// Creates a file of this many bytes; if the disk has no room, of only the bytes that are needed, for which spare room is given up.
    /// Throws if there is no room for those either, or if none are needed.
    /// </summary>
    internal SpillFile Make(long bytes, long? neededBytes)
    {
        IO.Throw.IfFailed(disk.OpenFile(path, FileOpening.Temporary, out IDiskFile? file), "create", path);
        try
        {
            IoError error = file!.Allocate(bytes);
            if (error.Kind == IoErrorKind.DiskFull && neededBytes is { } needed)
            {
                bytes = needed;
                error = spareRoom.Allocate(file, bytes);
            }

            IO.Throw.IfFailed(error, "grow", path, bytes);
            IO.Throw.IfFailed(file.Map(bytes, out nint address), "map", path);
            file.ExpectRandomReads();
            return new SpillFile(file, address, bytes);
        }
        catch
        {
            file!.Dispose();
            throw;
        }
    }
}

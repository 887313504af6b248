using Voron.Storage.Format;

namespace Voron.Storage.IO;

/// <summary>
/// Reads files past unreadable places. A system fails a whole read for one bad sector, so the read is repeated block by block, and blocks
/// that cannot be read are returned as zeros, which are not a valid record, page or head.
/// </summary>
internal static class BlockReads
{
    /// <summary>Reads until the span is full or the file ends.</summary>
    /// <param name="file">The file.</param>
    /// <param name="offset">Where to begin.</param>
    /// <param name="destination">Takes the bytes.</param>
    /// <param name="read">How many of them the file has.</param>
    /// <param name="unreadable">The blocks that cannot be read are added to these.</param>
    internal static IoError Read(IDiskFile file, long offset, Span<byte> destination, out int read, ref Unreadable unreadable)
    {
        IoError error = file.Read(offset, destination, out read);
        if (!error.IsUnreadable)
        {
            return error;
        }

        error = file.GetLength(out long length);
        read = (int)Math.Clamp(length - offset, 0, destination.Length);
        for (int done = 0; done < read && !error.Failed;)
        {
            int bytes = (int)Math.Min(read - done, FormatConstants.BlockBytes - ((offset + done) % FormatConstants.BlockBytes));
            Span<byte> block = destination.Slice(done, bytes);
            error = file.Read(offset + done, block, out int got);
            if (error.IsUnreadable)
            {
                // Some errors are temporary, and a block that is skipped here may hold an acknowledged record.
                error = file.Read(offset + done, block, out got);
            }

            if (error.IsUnreadable)
            {
                unreadable = unreadable.With(offset + done, error);
                error = IoError.Success;
                got = bytes;
                block.Clear();
            }

            if (got < bytes)
            {
                read = done + got;
            }

            done += bytes;
        }

        return error;
    }

    /// <summary>Number of blocks that could not be read.</summary>
    /// <param name="Count">How many; one that is read again counts once.</param>
    /// <param name="First">Offset of the first one met.</param>
    /// <param name="Last">Offset of the last one.</param>
    /// <param name="Error">What the device said.</param>
    internal readonly record struct Unreadable(int Count, long First, long Last, IoError Error)
    {
        internal Unreadable With(long offset, IoError error) => Count == 0
            ? new Unreadable(1, offset, offset, error)
            : this with { Count = Count + (offset > Last ? 1 : 0), Last = Math.Max(Last, offset) };
    }
}

using Voron.Storage.Format;

namespace Voron.Storage.Platform;

/// <summary>
/// Reads past what a device cannot give. A system fails a whole read for one sector of it, so the read is made again block by block, and
/// the blocks that cannot be read come out as zeros, which are no record, page or head.
/// </summary>
internal static class BlockReads
{
    /// <summary>Reads until the span is full or the file ends.</summary>
    /// <param name="file">The file.</param>
    /// <param name="offset">Where to begin.</param>
    /// <param name="destination">Takes the bytes.</param>
    /// <param name="read">How many of them the file has.</param>
    /// <param name="unreadable">Offset of the first block that cannot be read; −1 when there is none.</param>
    internal static IoError Read(IDiskFile file, long offset, Span<byte> destination, out int read, out long unreadable)
    {
        unreadable = -1;
        IoError error = file.Read(offset, destination, out read);
        if (!error.IsUnreadable || Sabotage.Is(SabotageRule.RefuseUnreadableBlock))
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
                error = IoError.Success;
                unreadable = unreadable < 0 ? offset + done : unreadable;
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
}

namespace Voron.Storage.IO;

/// <summary>
/// Makes sure that a file is read as the device has it. After a failed write the page cache shows bytes that the device does not have, and
/// no later sync reports them.
/// </summary>
internal static class PageCache
{
    /// <summary>
    /// Syncs the data that a killed process left in the cache, then drops the first bytes of the file from the cache. Throws if bytes stay
    /// cached that the device does not have. Returns a reason for doubt if pages stay that cannot be compared with the device.
    /// </summary>
    /// <param name="file">A buffered file that is not mapped by this process.</param>
    /// <param name="bytes">Length of the range in bytes; <see cref="long.MaxValue"/> for the whole file.</param>
    internal static string? SyncAndForget(IDiskFile file, long bytes = long.MaxValue)
    {
        Throw.IfFailed(file.SyncData(), "sync", file.Path);
        Throw.IfStillCached(file.ForgetCached(bytes, out bool isKnown), file.Path);
        return isKnown
            ? null
            : $"another process has '{file.Path}' mapped, and the file system refuses the unbuffered reads that would show whether the "
                + "device has what that process keeps in the page cache";
    }
}

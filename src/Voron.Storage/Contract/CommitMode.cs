namespace Voron.Storage;

/// <summary>
/// What a commit has achieved when it returns. No mode can corrupt a database; they differ in what a power cut may take back.
/// </summary>
public enum CommitMode
{
    /// <summary>The transaction is on the device: it survives a power cut.</summary>
    Durable = 0,

    /// <summary>
    /// The transaction has left the process but the device was not asked to flush: it survives a killed process; a power cut may lose the
    /// last commits.
    /// </summary>
    Buffered = 1,

    /// <summary>
    /// The transaction is in memory, on its way into the journal: the next durable commit, <see cref="StorageEnvironment.Flush"/>, the
    /// background after <see cref="StorageOptions.LazyWindow"/> and the environment's end make it durable. A killed process or a power cut
    /// may lose the last commits, never one from the middle.
    /// </summary>
    Lazy = 2,
}

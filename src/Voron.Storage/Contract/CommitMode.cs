namespace Voron.Storage;

/// <summary>
/// The durability of a commit when it returns. No mode can corrupt a database; they differ in what a power cut may lose.
/// </summary>
public enum CommitMode
{
    /// <summary>The transaction is on the device: it survives a power cut.</summary>
    Durable = 0,

    /// <summary>
    /// The transaction was handed to the operating system without a device flush: it survives a killed process; a power cut may lose the
    /// last commits.
    /// </summary>
    Buffered = 1,

    /// <summary>
    /// The transaction is in memory and queued for the journal. The next durable commit, <see cref="StorageEnvironment.Flush"/>, a
    /// background write after <see cref="StorageOptions.LazyWindow"/> or closing the environment makes it durable. A killed process or a
    /// power cut may lose the last commits, never one from the middle.
    /// </summary>
    Lazy = 2,
}

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
}

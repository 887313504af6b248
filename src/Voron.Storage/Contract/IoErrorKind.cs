namespace Voron.Storage;

/// <summary>
/// What a failed disk call means to the engine; the operating system's own code stands beside it in <see cref="IoError"/>.
/// </summary>
internal enum IoErrorKind
{
    None = 0,
    NotFound,
    AlreadyExists,
    AccessDenied,
    ReadOnlyMedia,
    NotADirectory,
    IsADirectory,
    InvalidPath,
    DiskFull,
    Locked,
    NotSupported,
    OutOfMemory,

    /// <summary>The folder that is open does not have its path any more, on systems that find files by paths only.</summary>
    FolderReplaced,
    Device,
}

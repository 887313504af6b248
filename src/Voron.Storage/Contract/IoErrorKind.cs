namespace Voron.Storage;

/// <summary>
/// What a failed disk call means to the engine; <see cref="IoError"/> has the code of the operating system as well.
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

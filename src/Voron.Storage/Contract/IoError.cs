namespace Voron.Storage;

/// <summary>
/// Result of a disk call: success, or what failed and the operating system's code. Exceptions are made one layer up, so injected and real
/// errors take one path.
/// </summary>
internal readonly record struct IoError(IoErrorKind Kind, int Code)
{
    internal static IoError Success => default;

    internal bool Failed => Kind != IoErrorKind.None;

    /// <summary>Of a read: the device cannot give what is there; other places may be well.</summary>
    internal bool IsUnreadable => Kind == IoErrorKind.Device;
}

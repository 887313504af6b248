namespace Voron.Storage;

/// <summary>
/// How a file is opened. Without <see cref="ReadOnly"/> it is opened for reading and writing; files are never truncated on open.
/// </summary>
[Flags]
internal enum FileOpening
{
    None = 0,

    /// <summary>Create it when it does not exist.</summary>
    Create = 1,

    ReadOnly = 2,

    /// <summary>Past the page cache: offset, length and address of every transfer are multiples of 4096 (asserted by every disk).</summary>
    Unbuffered = 4,

    /// <summary>A write is on the device, with all that is needed to read it back, when it returns.</summary>
    WriteThrough = 8,

    /// <summary>
    /// A new, empty file without a lasting name: no other process finds it, and it is gone when it is closed or the process ends,
    /// however it ends. Its map may be written.
    /// </summary>
    Temporary = 16,
}

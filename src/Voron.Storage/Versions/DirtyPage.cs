namespace Voron.Storage.Versions;

/// <summary>
/// A page or run that a checkpoint has to bring to disk, with the address of its version; the checkpoint's pinned snapshot keeps that
/// version.
/// </summary>
internal readonly record struct DirtyPage(long Page, long Count, long CreatedBy, nint Version);

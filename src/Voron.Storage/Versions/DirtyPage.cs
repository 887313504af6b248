using Voron.Storage.Format;

namespace Voron.Storage.Versions;

/// <summary>
/// A page or run that a checkpoint must write, with the address of its version, which the pinned snapshot of the checkpoint keeps.
/// </summary>
internal readonly record struct DirtyPage(PageNumber Page, long Count, TransactionId CreatedBy, nint Version);

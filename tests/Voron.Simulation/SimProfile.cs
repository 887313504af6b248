namespace Voron.Simulation;

/// <summary>
/// What a system promises of what was not synced, as data. Only what a profile adds to <see cref="Strict"/> is weaker or stronger than the
/// seam's contract; faults and tears are the same for all.
/// </summary>
internal sealed record SimProfile(string Name)
{
    /// <summary>The minimum that POSIX gives; nothing but a sync of that very file or directory orders anything.</summary>
    internal static SimProfile Strict { get; } = new("Strict") { ShowsOldBlocks = true };

    /// <summary>One journal for all names, written by any sync; blocks that were never written read as zeros.</summary>
    internal static SimProfile Ext4Like { get; } = new("Ext4Like") { OrdersNames = true, SyncRetiresNames = true };

    /// <summary>As with one journal for names; bytes behind a file's valid length read as zeros although they were written.</summary>
    internal static SimProfile NtfsLike { get; } = new("NtfsLike")
    {
        OrdersNames = true, SyncRetiresNames = true, KeepsValidLength = true,
    };

    /// <summary>A write-through handle is an ordinary one; a full sync is what it says.</summary>
    internal static SimProfile MacLike { get; } = new("MacLike") { IgnoresWriteThrough = true, OrdersNames = true };

    /// <summary>Everything succeeds and nothing is promised.</summary>
    internal static SimProfile Liar { get; } = new("Liar") { IgnoresWriteThrough = true, IgnoresSync = true, ShowsOldBlocks = true };

    internal static IReadOnlyList<SimProfile> All { get; } = [Strict, Ext4Like, NtfsLike, MacLike, Liar];

    /// <summary>A write through a write-through handle is pending like any other.</summary>
    internal bool IgnoresWriteThrough { get; init; }

    /// <summary>Syncs of files and of directories succeed and do nothing.</summary>
    internal bool IgnoresSync { get; init; }

    /// <summary>Names become durable in the order of their changes, over all directories: a cut keeps a prefix of them.</summary>
    internal bool OrdersNames { get; init; }

    /// <summary>A sync of any file makes all changes of names before it durable.</summary>
    internal bool SyncRetiresNames { get; init; }

    /// <summary>Grown space whose bytes were lost may show anything: garbage, or blocks that were another file's.</summary>
    internal bool ShowsOldBlocks { get; init; }

    /// <summary>
    /// Up to which byte a file's content is valid is kept apart from its bytes; what lies behind it reads as zeros, whatever was written.
    /// </summary>
    internal bool KeepsValidLength { get; init; }

    /// <summary>Whether the seam's contract holds, so that nothing promised may be lost.</summary>
    internal bool KeepsContract => !IgnoresWriteThrough && !IgnoresSync;

    public override string ToString() => Name;
}

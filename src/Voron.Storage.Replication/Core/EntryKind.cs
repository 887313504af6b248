namespace Voron.Storage.Replication.Core;

/// <summary>What an entry of the log says.</summary>
internal enum EntryKind : byte
{
    None = 0,

    /// <summary>A node claims to lead from here on.</summary>
    Epoch = 1,

    /// <summary>A part of a batch of redo records.</summary>
    Records = 2,

    /// <summary>The leader is alive.</summary>
    Heartbeat = 3,

    /// <summary>A node asks how far the log is; it counts for nothing.</summary>
    Barrier = 4,
}

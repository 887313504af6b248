namespace Voron.Bench.Commits;

/// <summary>How transactions are committed.</summary>
internal enum CommitKind
{
    /// <summary>One caller goes on while up to 64 commits are on their way.</summary>
    Async,

    /// <summary>One caller, one put a transaction: what the others are compared with.</summary>
    OneCaller,

    /// <summary>Many threads, each waiting for its commit.</summary>
    Callers,

    /// <summary>One caller that does not wait for the device.</summary>
    Lazy,

    /// <summary>Tasks whose writes share transactions.</summary>
    Shared,
}

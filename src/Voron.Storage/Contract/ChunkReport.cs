namespace Voron.Storage;

/// <summary>One file of the journal.</summary>
public sealed record ChunkReport
{
    /// <summary>The file.</summary>
    public required string File { get; init; }

    /// <summary>True for a commit chunk, false for a page chunk.</summary>
    public required bool IsCommitChunk { get; init; }

    /// <summary>Its number, which is never used again.</summary>
    public required long Sequence { get; init; }

    /// <summary>The chunk that was in use when this one was made; 0 for the first, and when its header cannot be read.</summary>
    public required long PreviousSequence { get; init; }

    /// <summary>Length in bytes that its header names.</summary>
    public required long Bytes { get; init; }

    /// <summary>Null when its header is sound and belongs to this database; else what is wrong with it.</summary>
    public required string? Problem { get; init; }

    /// <summary>Sound records of a commit chunk; complete image sets of a page chunk.</summary>
    public required long Records { get; init; }

    /// <summary>First transaction of a sound record or image set; 0 when there is none.</summary>
    public required long FirstTransactionId { get; init; }

    /// <summary>Last transaction of a sound record or image set; 0 when there is none.</summary>
    public required long LastTransactionId { get; init; }

    /// <summary>Byte offset behind the last sound record; 0 where there is none.</summary>
    public required long EndOffset { get; init; }

    /// <summary>True when something was begun behind the last sound record: a write that a crash cut short, or one that rotted.</summary>
    public required bool IsTorn { get; init; }
}

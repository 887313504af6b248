namespace Voron.Simulation.Crashes;

/// <summary>
/// An open database of a crash test. Whatever goes wrong is thrown; a run that injects no faults takes every exception for a failure.
/// </summary>
internal interface ICrashSession
{
    /// <summary>The last committed transaction that a new reader sees.</summary>
    long LastTransactionId { get; }

    /// <summary>
    /// The last transaction that a reader sees that begins now. May be asked at any moment, also in the middle of a commit.
    /// </summary>
    long VisibleTransactionId { get; }

    /// <summary>
    /// Asked right after the open: the ranges of mapped files that recovery, or a reader of what it recovered, can have looked at.
    /// </summary>
    IEnumerable<(long Offset, long Bytes)> ReachedThroughMap { get; }

    /// <summary>How many transactions the open replayed from a journal; -1 when the subject cannot tell.</summary>
    long ReplayedTransactions { get; }

    /// <summary>Commits and gives the transaction's id: the last one's plus one, or the last one's when nothing was changed.</summary>
    long Commit(WorkloadTransaction transaction);

    /// <summary>
    /// Seals all of them in order before anything is written, then returns when all keep their promise. Gives the last id; all of them
    /// change something.
    /// </summary>
    long CommitGroup(IReadOnlyList<WorkloadTransaction> transactions);

    void Rollback(WorkloadTransaction transaction);

    /// <summary>Opens a reader in a free slot and gives the transaction whose snapshot it reads.</summary>
    long OpenReader(int slot);

    void VisitReader(int slot, ContentVisitor visitor);

    void CloseReader(int slot);

    void Checkpoint();

    void VisitContent(ContentVisitor visitor);

    /// <summary>Proves the structure: every page reachable or free exactly once, order, checksums, lengths. Throws what it finds.</summary>
    void Check();

    /// <summary>Closes the readers and the database properly.</summary>
    void Close();

    /// <summary>
    /// Throws the session away after its disk was switched off: closes every file and frees its memory. Failures of the disk are no
    /// failures now.
    /// </summary>
    void Abandon();
}

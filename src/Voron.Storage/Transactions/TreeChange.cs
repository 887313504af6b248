namespace Voron.Storage.Transactions;

/// <summary>The operations of a write transaction on trees, all run in the same frame.</summary>
internal enum TreeChange
{
    Put,
    TryAdd,
    Append,
    Reserve,
    Delete,
    DeleteRange,
    CreateTree,
    DropTree,
    RenameTree,

    /// <summary>Applies the deferred puts.</summary>
    ApplyDeferred,

    /// <summary>Writes a piece of a value to the data file; no tree references it yet.</summary>
    WritePiece,

    /// <summary>Puts a value that is in the data file, in one or more pieces, into a tree.</summary>
    PutRuns,

    /// <summary>Like PutRuns, in replay: first claims the runs for the transaction, as they were when its record was written.</summary>
    AdoptRuns,

    /// <summary>Frees pieces that no tree references.</summary>
    FreeRuns,
}

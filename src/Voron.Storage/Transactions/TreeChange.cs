namespace Voron.Storage.Transactions;

/// <summary>What a write transaction does to trees, each within the same frame.</summary>
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

    /// <summary>Puts that were noted only are made.</summary>
    MakeNotedPuts,

    /// <summary>A piece of a value goes to the data file; it is in no tree yet.</summary>
    WritePiece,

    /// <summary>A value that is in the data file, or pieces of it, comes into a tree.</summary>
    PutRuns,

    /// <summary>As PutRuns, in replay: the runs are the transaction's, as they were when its record was written.</summary>
    AdoptRuns,

    /// <summary>Pieces that are in no tree are given back.</summary>
    FreeRuns,
}

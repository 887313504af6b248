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
}

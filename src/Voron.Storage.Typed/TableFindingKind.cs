namespace Voron.Storage.Typed;

/// <summary>What is wrong in a table.</summary>
public enum TableFindingKind
{
    /// <summary>A row cannot be read, or its key in the tree is not the one that the definition gives.</summary>
    BadRow,

    /// <summary>A row is not in an index in which it should be.</summary>
    MissingEntry,

    /// <summary>An index has an entry for a row that does not exist, or does not have that key.</summary>
    StrayEntry,

    /// <summary>The tree of an index is missing.</summary>
    MissingIndex,
}

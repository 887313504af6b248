namespace Voron.Storage;

/// <summary>What a page of the data file is used for.</summary>
public enum PageUse
{
    /// <summary>Nothing: the next transaction may use it.</summary>
    Free,

    /// <summary>The snapshot does not use it, but the newest checkpoint does: it is free after the next one.</summary>
    Held,

    /// <summary>A header slot.</summary>
    Header,

    /// <summary>A space map.</summary>
    SpaceMap,

    /// <summary>A page of the catalog, which lists the trees.</summary>
    Catalog,

    /// <summary>A page of a tree that leads to others.</summary>
    Branch,

    /// <summary>A page of a tree that holds entries.</summary>
    Leaf,

    /// <summary>A page of a tree's long value, or of the list of one in pieces.</summary>
    Overflow,
}

namespace Voron.Storage;

/// <summary>What the bytes of a page say it is.</summary>
public enum PageContent
{
    /// <summary>No header of this engine: a free page, the inside of an overflow run, or damage.</summary>
    Unknown = 0,

    /// <summary>Zeros only: never written, or given back to the file system.</summary>
    Empty = 1,

    /// <summary>One of the two places of the header slots: page 0 or 1.</summary>
    HeaderSlot = 2,

    /// <summary>A node that holds entries.</summary>
    Leaf = 3,

    /// <summary>A node that leads to others.</summary>
    Branch = 4,

    /// <summary>The first page of a run that holds a long value.</summary>
    Overflow = 5,

    /// <summary>Bits that say which pages are in use.</summary>
    SpaceMap = 6,
}

namespace Voron.Storage.Trees;

/// <summary>The position of a cursor.</summary>
internal enum CursorState : byte
{
    /// <summary>Not moved yet.</summary>
    Unset = 0,

    /// <summary>On a row.</summary>
    OnRow = 1,

    /// <summary>
    /// In a gap, for example because the cursor's row was deleted. The index is that of the row after the gap, or the end of the leaf.
    /// </summary>
    BeforeRow = 2,

    /// <summary>Before the first row.</summary>
    BeforeFirst = 3,

    /// <summary>After the last row.</summary>
    BehindLast = 4,

    /// <summary>No position: the last move failed at a page that cannot be read.</summary>
    Lost = 5,
}

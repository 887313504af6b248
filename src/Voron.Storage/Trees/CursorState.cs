namespace Voron.Storage.Trees;

/// <summary>Where a cursor stands.</summary>
internal enum CursorState : byte
{
    /// <summary>Not moved yet.</summary>
    Unset = 0,

    /// <summary>On a row.</summary>
    OnRow = 1,

    /// <summary>In a gap: the position names the row behind it, or the end of the leaf. Its own row was deleted.</summary>
    BeforeRow = 2,

    /// <summary>Before the first row.</summary>
    BeforeFirst = 3,

    /// <summary>Behind the last row.</summary>
    BehindLast = 4,

    /// <summary>Nowhere: the last move failed at a page that cannot be read.</summary>
    Lost = 5,
}

namespace Voron.Storage.Trees;

/// <summary>Where a lookup by position goes.</summary>
internal enum CursorMove : byte
{
    First,
    Last,

    /// <summary>The last key ≤ the limit.</summary>
    Floor,

    /// <summary>The first key ≥ the limit.</summary>
    Ceiling,
}

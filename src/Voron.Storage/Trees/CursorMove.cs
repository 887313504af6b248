namespace Voron.Storage.Trees;

/// <summary>The target of a lookup by position.</summary>
internal enum CursorMove : byte
{
    First,
    Last,

    /// <summary>The last key ≤ the limit.</summary>
    Floor,

    /// <summary>The first key ≥ the limit.</summary>
    Ceiling,
}

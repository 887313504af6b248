namespace Voron.Storage.Typed.Tables;

/// <summary>How far an index is. The numbers are stored, that of a missing one is not.</summary>
internal enum IndexState : byte
{
    /// <summary>Not in this database: writers leave it out.</summary>
    Missing = 0,

    /// <summary>All rows are in it.</summary>
    Ready = 1,

    /// <summary>Of a build that went by primary keys, which no version does any more: the index is dropped.</summary>
    Outdated = 2,

    /// <summary>Its build met two rows with one key. There is no tree, and writers leave it out.</summary>
    Failed = 3,

    /// <summary>Its entries up to a position are all there, and of the others some; writers maintain it for all rows.</summary>
    Building = 4,
}

namespace Voron.Storage.Typed.Tables;

/// <summary>How far an index is. The numbers are stored, that of a missing one is not.</summary>
internal enum IndexState : byte
{
    /// <summary>Not in this database: writers leave it out.</summary>
    Missing = 0,

    /// <summary>All rows are in it.</summary>
    Ready = 1,

    /// <summary>The rows up to a primary key are in it, and only for these do writers maintain it.</summary>
    Building = 2,

    /// <summary>Its build met two rows with one key. There is no tree, and writers leave it out.</summary>
    Failed = 3,
}

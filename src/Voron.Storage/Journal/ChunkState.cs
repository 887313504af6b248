namespace Voron.Storage.Journal;

/// <summary>The state of a chunk's file.</summary>
internal enum ChunkState
{
    /// <summary>Its header is sound and it belongs to this database.</summary>
    Sound = 0,

    /// <summary>There is no such file.</summary>
    Missing,

    /// <summary>Its header fails its checksum or names another chunk, or the file is shorter than the header says.</summary>
    Damaged,

    /// <summary>Its header is sound but names another database.</summary>
    Foreign,
}

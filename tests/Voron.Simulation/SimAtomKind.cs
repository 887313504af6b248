namespace Voron.Simulation;

/// <summary>What one atom does to the durable state, when it reaches it.</summary>
internal enum SimAtomKind
{
    /// <summary>One 512-byte sector of a file gets new bytes.</summary>
    Data,

    /// <summary>A file is at least so long.</summary>
    Grow,

    /// <summary>A file is at most so long.</summary>
    Truncate,

    /// <summary>A file's content is valid at least so far.</summary>
    Valid,

    /// <summary>A name leads to a file.</summary>
    Create,

    /// <summary>A file's name is replaced by another.</summary>
    Rename,

    /// <summary>A name leads nowhere.</summary>
    Delete,

    /// <summary>A directory exists.</summary>
    MakeDirectory,
}

namespace Voron.Storage;

/// <summary>What a <see cref="Change"/> did.</summary>
public enum ChangeKind
{
    /// <summary>An entry was inserted or replaced; in a multi-value tree: a pair was added.</summary>
    Put = 1,

    /// <summary>An entry was deleted; in a multi-value tree: all pairs of a key.</summary>
    Delete = 2,

    /// <summary>The entries from <see cref="Change.Key"/> on and before <see cref="Change.Value"/> were deleted.</summary>
    DeleteRange = 3,

    /// <summary>An empty tree was created.</summary>
    CreateTree = 4,

    /// <summary>A tree was dropped with all of its entries.</summary>
    DropTree = 5,

    /// <summary>A tree was renamed; <see cref="Change.Value"/> is its new name in UTF-8.</summary>
    RenameTree = 6,

    /// <summary>A pair of a multi-value tree, of <see cref="Change.Key"/> and <see cref="Change.Value"/>, was deleted.</summary>
    DeletePair = 7,
}

namespace Voron.Storage;

/// <summary>The named tree exists, but is of another kind, or has values of another length, than requested.</summary>
public sealed class TreeKindMismatchException : StorageException
{
    internal TreeKindMismatchException(string tree, string wanted, string found)
        : base($"The tree '{tree}' is {found}; {wanted} was asked for. Open it as what it is, or use another name.")
    {
        Tree = tree;
        Wanted = wanted;
        Found = found;
    }

    /// <summary>The name of the tree.</summary>
    public string Tree { get; }

    /// <summary>The kind that was asked for, in words.</summary>
    public string Wanted { get; }

    /// <summary>The kind of the tree, in words.</summary>
    public string Found { get; }
}

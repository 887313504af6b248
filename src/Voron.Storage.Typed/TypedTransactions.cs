namespace Voron.Storage.Typed;

/// <summary>Opens typed trees.</summary>
public static class TypedTransactions
{
    /// <summary>Opens a tree, creating it if it is missing.</summary>
    public static Tree<TKey, TValue> OpenTree<TKey, TValue>(this WriteTransaction transaction, TreeDefinition<TKey, TValue> definition)
    {
        ArgumentNullException.ThrowIfNull(definition);
        return new Tree<TKey, TValue>(transaction.OpenTree(definition.Name), definition);
    }

    /// <summary>Opens a tree for reading; false when there is none.</summary>
    public static bool TryOpenTree<TKey, TValue>(
        this ReadTransaction transaction, TreeDefinition<TKey, TValue> definition, out ReadTree<TKey, TValue> tree)
    {
        ArgumentNullException.ThrowIfNull(definition);
        bool exists = transaction.TryOpenTree(definition.Name, out ReadTree plain);
        tree = exists ? new ReadTree<TKey, TValue>(plain, definition) : default;
        return exists;
    }

    /// <summary>Opens a tree for reading.</summary>
    /// <exception cref="TreeNotFoundException">There is none.</exception>
    public static ReadTree<TKey, TValue> OpenTree<TKey, TValue>(
        this ReadTransaction transaction, TreeDefinition<TKey, TValue> definition)
    {
        ArgumentNullException.ThrowIfNull(definition);
        return new ReadTree<TKey, TValue>(transaction.OpenTree(definition.Name), definition);
    }
}

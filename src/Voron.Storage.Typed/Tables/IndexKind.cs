namespace Voron.Storage.Typed.Tables;

/// <summary>How an index was declared. The numbers are stored.</summary>
internal enum IndexKind : byte
{
    /// <summary>An ordered tree: index key to primary key.</summary>
    Unique = 1,

    /// <summary>A multi-value tree, as all others: index key to primary keys. A row has at most one key.</summary>
    Of = 2,

    /// <summary>A row has any number of keys.</summary>
    Many = 3,

    /// <summary>By the time at which a row expires.</summary>
    Expiry = 4,
}

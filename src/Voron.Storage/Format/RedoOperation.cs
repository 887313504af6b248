namespace Voron.Storage.Format;

/// <summary>Operation codes of a commit record's body. Lengths are LEB128 varints; all operations are results, never commands.</summary>
internal enum RedoOperation : byte
{
    None = 0,

    /// <summary>name length, name: the tree that the following Put, Delete and DeleteRange operations change.</summary>
    SelectTree = 1,

    /// <summary>key length, value length, key, value; in a multi-value tree: a pair that is added.</summary>
    Put = 2,

    /// <summary>key length, key; in a multi-value tree: all pairs of the key.</summary>
    Delete = 3,

    /// <summary>tree kind (1 byte), name length, name.</summary>
    CreateTree = 4,

    /// <summary>name length, name.</summary>
    DropTree = 5,

    /// <summary>length of the first key, length of the key behind the range, both keys: from ≤ key &lt; to.</summary>
    DeleteRange = 6,

    /// <summary>name length, new name length, name, new name.</summary>
    RenameTree = 7,

    /// <summary>
    /// key length, length of the runs, key, runs: a put whose value, or each piece of it, was written to the data file before the record.
    /// </summary>
    PutPlaced = 8,

    /// <summary>tree kind (1 byte), parameters (7 bytes, those of a tree record), name length, name.</summary>
    CreateTreeOf = 9,

    /// <summary>key length, value length, key, value: a pair of a multi-value tree.</summary>
    DeletePair = 10,

    /// <summary>Nothing follows: a place that RollbackTo can go back to.</summary>
    Savepoint = 16,

    /// <summary>number of savepoints before the one meant: everything behind it is undone; it stays, those behind it go.</summary>
    RollbackTo = 17,

    /// <summary>number of savepoints before the one meant: it and those behind it go; changes stay.</summary>
    Release = 18,

    /// <summary>ticks (8 bytes): the time of the transaction in UTC, at the end of its commit record.</summary>
    Time = 19,
}

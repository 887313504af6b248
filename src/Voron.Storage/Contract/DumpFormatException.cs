namespace Voron.Storage;

/// <summary>
/// The input of a load is not a dump, is damaged or incomplete, or has an entry that this database cannot hold; or a strict dump met what
/// <c>mdb_load</c> would refuse. Nothing of the transaction was committed.
/// </summary>
public sealed class DumpFormatException : StorageException
{
    internal DumpFormatException(string message, long line, Exception? inner = null)
        : base(message, inner) => Line = line;

    /// <summary>The line of the input, or for a strict dump that of the output, from 1.</summary>
    public long Line { get; }
}

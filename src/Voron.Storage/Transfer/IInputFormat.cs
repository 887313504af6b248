namespace Voron.Storage.Transfer;

/// <summary>Makes entries of the lines of an input.</summary>
internal interface IInputFormat
{
    /// <summary>The longest part of a line that it takes at a time, in bytes.</summary>
    int LongestPartBytes { get; }

    /// <summary>Sections so far.</summary>
    long Sections { get; }

    /// <summary>Records of sub-databases that were left out.</summary>
    long SubDatabaseRecords { get; }

    IReadOnlyList<string> Warnings { get; }

    /// <summary>
    /// Takes a line, or a part of one, and returns how many bytes at the end of the part must come again with the next one.
    /// </summary>
    int Take(ReadOnlySpan<byte> part, bool isEnd, long line);

    /// <summary>Refuses an input that ends here if it is not complete.</summary>
    void End(long line);
}

namespace Voron.Storage;

/// <summary>One page as the data file has it, decoded with every check there is.</summary>
public sealed record PageReport
{
    /// <summary>Number of the page: its byte offset in the file divided by the page size.</summary>
    public required long PageNumber { get; init; }

    /// <summary>The data file.</summary>
    public required string File { get; init; }

    /// <summary>What its bytes say it is.</summary>
    public required PageContent Content { get; init; }

    /// <summary>Fields of its header in the order of <c>docs/format.md</c>, by the names that they have there.</summary>
    public required IReadOnlyList<KeyValuePair<string, string>> Fields { get; init; }

    /// <summary>Entries of a node, as far as they can be decoded.</summary>
    public required IReadOnlyList<PageEntry> Entries { get; init; }

    /// <summary>
    /// What is wrong with it, if it is in use; empty when it is sound. The bytes of a free page are arbitrary.
    /// </summary>
    public required IReadOnlyList<string> Problems { get; init; }

    /// <summary>
    /// Where the newest complete image set has an image of this page, which recovery takes instead of these bytes; null if it has none.
    /// </summary>
    public string? ImageAt { get; init; }

    /// <summary>The bytes; of an overflow run those of its first page.</summary>
    public required ReadOnlyMemory<byte> Bytes { get; init; }

    /// <summary>True when nothing is wrong.</summary>
    public bool IsSound => Problems.Count == 0;
}

namespace Voron.Storage;

/// <summary>An entry of a node, as its bytes are in the page.</summary>
/// <param name="Key">The whole key; of a branch the separator, which is empty for the first entry.</param>
/// <param name="ValueBytes">Length of the value; of a branch 0; −1 for a value in pieces, whose length is elsewhere.</param>
/// <param name="Page">Of a branch the child, of a long value the first page of its run; else −1.</param>
public sealed record PageEntry(ReadOnlyMemory<byte> Key, long ValueBytes, long Page);

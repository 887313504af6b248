namespace Voron.Storage.Journal;

/// <summary>A chunk whose header is durable: where it is, and the sequence and salt that everything in it must repeat.</summary>
internal readonly record struct Chunk(string Path, long Sequence, ulong Salt, long Bytes)
{
    /// <summary>Sequence of the chunk in use when this one was created; 0 for the first.</summary>
    internal long PreviousSequence { get; init; }
}

namespace Voron.Storage;

/// <summary>Settings of a stream of changes.</summary>
public sealed class CopyChangesOptions
{
    /// <summary>
    /// Goes on with new transactions as they become durable, until it is cancelled; such a stream has no end. Default false: the stream
    /// ends with the last transaction that was durable when it began.
    /// </summary>
    public bool Follow { get; init; }
}

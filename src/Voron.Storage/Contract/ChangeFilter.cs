namespace Voron.Storage;

/// <summary>
/// Which changes a feed shows. Changes of whole trees pass if the tree does; a rename passes if its old or its new name does. A deleted
/// range is cut to the prefix.
/// </summary>
public sealed class ChangeFilter
{
    /// <summary>The trees whose changes are shown; null (the default) for all.</summary>
    public IReadOnlyCollection<string>? Trees { get; init; }

    /// <summary>What the shown keys begin with; empty (the default) for all keys.</summary>
    public ReadOnlyMemory<byte> Prefix { get; init; }

    /// <summary>
    /// Also shows transactions of which no change passes, as empty sets and at most one each second: a sign of life, by which the consumer
    /// learns how far the feed is. Default false.
    /// </summary>
    public bool IncludeEmpty { get; init; }
}

using Voron.Storage.Engine;

namespace Voron.Storage.History;

/// <summary>Takes what a commit group consists of, part by part.</summary>
internal interface IGroupPartSink
{
    /// <summary>Takes the next part; its bytes are valid until the call returns.</summary>
    void Take(RedoRecord record, ReadOnlySpan<byte> bytes);
}

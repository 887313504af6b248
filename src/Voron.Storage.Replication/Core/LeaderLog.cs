using Voron.Storage.Commits;
using Voron.Storage.Engine;
using Voron.Storage.History;

namespace Voron.Storage.Replication.Core;

/// <summary>The log as the journal of a leader sees it: what it did not take is never written.</summary>
internal sealed class LeaderLog(GroupParts parts, Publisher publisher, TimeSpan commitTimeout, Action<Exception> failed)
    : IOuterLog, IGroupPartSink
{
    /// <summary>
    /// Length from which on a batch is sent, and the rest of the group in further ones: large values of a transaction may take more memory
    /// than there is.
    /// </summary>
    private const int EnoughBytes = 4 << 20;

    private readonly BatchFraming _framing = new();

    public void Append(CommitGroup group)
    {
        try
        {
            _framing.Begin();
            parts.Cut(group, this);
            publisher.Send(_framing.Batch, commitTimeout);
        }
        catch (Exception error)
        {
            failed(error);
            throw;
        }
    }

    void IGroupPartSink.Take(RedoRecord record, ReadOnlySpan<byte> bytes)
    {
        if (_framing.Batch.Length >= EnoughBytes)
        {
            publisher.Send(_framing.Batch, commitTimeout);
            _framing.Begin();
        }

        _framing.Add(record, bytes);
    }
}

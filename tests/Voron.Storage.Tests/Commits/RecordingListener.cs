using Voron.Storage.Commits;
using Voron.Storage.Format;
using Voron.Storage.Journal;

namespace Voron.Storage.Tests.Commits;

/// <summary>Notes what the journal says of its writes.</summary>
internal sealed class RecordingListener : ICommitListener
{
    internal RecordMark WrittenMark { get; private set; }

    internal RecordMark DurableMark { get; private set; }

    internal long Written => WrittenMark.TransactionId.Value;

    internal long Durable => DurableMark.TransactionId.Value;

    internal bool WentBack { get; private set; }

    public void Committed(in RecordMark written, bool isDurable)
    {
        WentBack |= written.TransactionId.Value < Written;
        WrittenMark = written;
        DurableMark = isDurable ? written : DurableMark;
    }
}

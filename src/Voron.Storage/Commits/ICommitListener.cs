using Voron.Storage.Journal;

namespace Voron.Storage.Commits;

/// <summary>Is called after each journal write, in order and before any caller that waits for it returns.</summary>
internal interface ICommitListener
{
    /// <summary>
    /// Reports that everything up to <paramref name="written"/> has left the process; if <paramref name="isDurable"/>, it is on the device.
    /// </summary>
    void Committed(in RecordMark written, bool isDurable);
}

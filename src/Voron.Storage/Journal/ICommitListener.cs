namespace Voron.Storage.Journal;

/// <summary>Told after each journal write, in order and before anyone who waits for it returns.</summary>
internal interface ICommitListener
{
    /// <summary>
    /// Everything up to <paramref name="written"/> has left the process; when <paramref name="isDurable"/>, it is on the device.
    /// </summary>
    void Committed(in RecordMark written, bool isDurable);
}

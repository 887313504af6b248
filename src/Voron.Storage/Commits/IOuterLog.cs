namespace Voron.Storage.Commits;

/// <summary>
/// A log outside this process that must have a group of commits before it is written here, so that this database is never ahead of it.
/// </summary>
internal interface IOuterLog
{
    /// <summary>
    /// Returns when the log has the group for good. Called by the thread that writes the group, one group at a time and in order, outside
    /// the journal's gate. What it throws stops the environment; the group is never written then, and its callers do not know the outcome.
    /// </summary>
    void Append(CommitGroup group);
}

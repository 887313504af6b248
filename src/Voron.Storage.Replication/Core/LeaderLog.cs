using Voron.Storage.Commits;

namespace Voron.Storage.Replication.Core;

/// <summary>The log as the journal of a leader sees it: what it did not take is never written.</summary>
internal sealed class LeaderLog(Publisher publisher, TimeSpan commitTimeout, Action<Exception> failed) : IOuterLog
{
    private readonly BatchFraming _framing = new();

    public void Append(CommitGroup group)
    {
        try
        {
            publisher.Send(_framing.Frame(group), commitTimeout);
        }
        catch (Exception error)
        {
            failed(error);
            throw;
        }
    }
}

using Akka.Persistence.Journal;

namespace Voron.Adapters.Tests.Actors;

/// <summary>A text has its colours as tags, and is read in upper case when it says so.</summary>
public sealed class WordAdapter : IEventAdapter
{
    private static readonly string[] Colors = ["green", "black"];

    public string Manifest(object evt) => "word";

    public object ToJournal(object evt) =>
        Colors.Where(((string)evt).Contains).ToArray() is { Length: > 0 } tags ? new Tagged(evt, tags) : evt;

    public IEventSequence FromJournal(object evt, string manifest) => EventSequence.Single(
        manifest == "word" && ((string)evt).StartsWith("loud", StringComparison.Ordinal) ? ((string)evt).ToUpperInvariant() : evt);
}

namespace Voron.Samples.Worker;

/// <summary>Something that happened.</summary>
internal sealed record LogEvent(string Source, string Text);

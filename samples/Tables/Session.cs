namespace Voron.Samples.Tables;

/// <summary>A user who is signed in, until a time; null for no end.</summary>
internal sealed record Session(Guid Id, long User, DateTimeOffset? Until);

namespace Voron.Samples.Tables;

/// <summary>A customer.</summary>
internal sealed record User(long Id, string Email, string Name);

namespace Voron.Storage.Typed;

/// <summary>A place where rows and indexes of a table disagree.</summary>
/// <param name="Kind">What is wrong.</param>
/// <param name="Index">The name of the index; null when the rows themselves are meant.</param>
/// <param name="Key">The primary key, as bytes.</param>
/// <param name="Message">What is wrong, where, in words.</param>
public sealed record TableFinding(TableFindingKind Kind, string? Index, ReadOnlyMemory<byte> Key, string Message);

namespace Voron.Cli;

/// <summary>What the user named is not there.</summary>
internal sealed class NotFoundException(string message) : Exception(message);

namespace Voron.Bench;

/// <summary>What was read back is not what was written: the figures of this run mean nothing.</summary>
/// <param name="message">What was expected and what was found.</param>
internal sealed class VerificationException(string message) : Exception(message);

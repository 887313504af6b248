namespace Voron.Storage;

/// <summary>One defect of a database.</summary>
/// <param name="PageNumber">The page concerned, or −1.</param>
/// <param name="Message">What is wrong.</param>
public sealed record CheckFinding(long PageNumber, string Message);

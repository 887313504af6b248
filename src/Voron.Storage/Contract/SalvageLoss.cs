namespace Voron.Storage;

/// <summary>Something of a damaged database that could not be copied.</summary>
/// <param name="Tree">The tree that misses it, or null when it cannot be told.</param>
/// <param name="PageNumber">The unreadable page, or −1.</param>
/// <param name="Message">What was lost, and where.</param>
public sealed record SalvageLoss(string? Tree, long PageNumber, string Message);

namespace Voron.Storage;

/// <summary>What a salvage has copied and what it could not.</summary>
/// <param name="Losses">Everything that is known to be lost; empty when all was readable.</param>
/// <param name="Trees">Trees in the new database.</param>
/// <param name="Entries">Entries in the new database.</param>
/// <param name="Transactions">Transactions of the commit journal that were applied.</param>
public sealed record SalvageReport(IReadOnlyList<SalvageLoss> Losses, long Trees, long Entries, long Transactions)
{
    /// <summary>True when nothing is known to be lost.</summary>
    public bool IsComplete => Losses.Count == 0;
}

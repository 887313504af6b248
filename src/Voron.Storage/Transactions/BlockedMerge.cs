namespace Voron.Storage.Transactions;

/// <summary>A tree of which an entry cannot be merged.</summary>
/// <param name="Tree">The tree's name.</param>
/// <param name="Damage">What is on the way to the entry's leaf.</param>
internal sealed record BlockedMerge(byte[] Tree, StorageException Damage);

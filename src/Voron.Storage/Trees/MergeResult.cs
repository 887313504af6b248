namespace Voron.Storage.Trees;

/// <summary>What became of a merge of pending entries.</summary>
/// <param name="Moved">Number of entries that were moved.</param>
/// <param name="Added">How many more keys the leaves have by it; negative if they have fewer.</param>
/// <param name="NextBytes">Length of the key from which on there are more; 0 if there are none.</param>
/// <param name="Damage">What has kept the entry before that key where it was; null for nothing.</param>
internal readonly record struct MergeResult(int Moved, int Added, int NextBytes, StorageException? Damage);

namespace Voron.Storage.Trees;

/// <summary>What one step has moved.</summary>
/// <param name="Moved">Pages whose content is in others now.</param>
/// <param name="Merged">Leaves whose entries are in the leaf before them now.</param>
/// <param name="NextBytes">Length of the key from which on the next step goes on.</param>
/// <param name="HasMore">Whether there is something to go on with.</param>
internal readonly record struct MoveResult(int Moved, int Merged, int NextBytes, bool HasMore);

namespace Voron.Simulation;

/// <summary>
/// Something that a recovery can have looked at in the state it was given: whether a name exists, the names of a directory, a file's
/// length, or a run of its sectors.
/// </summary>
internal readonly record struct SimFact(SimFactKind Kind, string Path, long FirstSector = 0, long Sectors = 0)
{
    /// <summary>What a state shows there. Sums of values do not depend on how runs of sectors were put together.</summary>
    /// <param name="names">The state's names.</param>
    /// <param name="content">The content of the file at <see cref="Path"/>, where there is one.</param>
    internal Hash128 ValueIn(SimNamespace names, SimContent? content)
    {
        Hash128 place = Hash128.Of(Path).Then((ulong)Kind);
        switch (Kind)
        {
            case SimFactKind.Name:
                return place.Then(names.Files.ContainsKey(Path) ? 1UL : 0UL).Then(names.HasDirectory(Path) ? 1UL : 0UL);
            case SimFactKind.Listing:
                foreach (string path in names.Files.Keys)
                {
                    place = SimPath.IsIn(path, Path) ? place.Then(Hash128.Of(path)) : place;
                }

                return place;
            case SimFactKind.Length:
                return place.Then((ulong)(content?.Length ?? -1));
            default:
                Hash128 sum = default;
                for (long sector = FirstSector; sector < FirstSector + Sectors; sector++)
                {
                    sum += place.Then((ulong)sector).Then(content?.SectorHash(sector) ?? default);
                }

                return sum;
        }
    }
}

namespace Voron.Simulation.Crashes;

/// <summary>
/// Damage beyond the disk's model, to a file with two header slots of which either may be lost: a sector that was in flight at a cut is
/// destroyed instead of being whole or old, and where no slot was in flight, one slot at rest is gone. Never both at once, and never the
/// only valid one.
/// </summary>
internal sealed record SlotDamage(string Path, int SlotDistance)
{
    private const int DamagedByte = 9;

    /// <summary>
    /// Does the damage to a disk that was cut; false when this state has nothing to be damaged, or would be lost by right.
    /// </summary>
    /// <param name="snapshot">What was in flight.</param>
    /// <param name="cut">The disk as the cut left it.</param>
    /// <param name="atRest">The slot to lose when none was in flight.</param>
    internal bool Apply(SimSnapshot snapshot, SimDisk cut, int atRest)
    {
        bool[] inFlight = new bool[2];
        foreach (SimAtom atom in snapshot.Atoms)
        {
            for (int slot = 0; slot < 2; slot++)
            {
                inFlight[slot] |= atom.Kind == SimAtomKind.Data && atom.Path == Path
                    && atom.Position == slot * SlotDistance / SimContent.SectorBytes;
            }
        }

        byte[]? bytes = cut.Peek(Path);
        if (bytes is null || bytes.Length < SlotDistance + SimContent.SectorBytes || bytes[0] == 0 || bytes[SlotDistance] == 0)
        {
            return false;
        }

        if (!inFlight[0] && !inFlight[1])
        {
            inFlight[atRest] = true;
        }

        for (int slot = 0; slot < 2; slot++)
        {
            if (inFlight[slot])
            {
                cut.Damage(Path, (slot * SlotDistance) + DamagedByte, 0xFF);
            }
        }

        return true;
    }
}

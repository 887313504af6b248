namespace Voron.Simulation;

/// <summary>
/// One power cut: which pending atoms survive it, and what stands in grown space whose bytes did not. Small and printable, so that a
/// failure can name it.
/// </summary>
internal readonly record struct CutChoice(
    CutFamily Family, ulong First = 0, ulong Second = 0, SimGarbage Garbage = SimGarbage.Zeros, ulong GarbageSeed = 0)
{
    /// <summary>
    /// The seed by which some of the lost sectors are torn inside: one part of them new and one old, or one part of them neither. 0 for
    /// none.
    /// </summary>
    internal ulong Tear { get; init; }

    internal static CutChoice None => new(CutFamily.None);

    internal static CutChoice All => new(CutFamily.All);

    internal static CutChoice Prefix(int count) => new(CutFamily.Prefix, (ulong)count);

    internal static CutChoice DropOne(int atom) => new(CutFamily.DropOne, (ulong)atom);

    internal static CutChoice KeepOne(int atom) => new(CutFamily.KeepOne, (ulong)atom);

    internal static CutChoice Bits(ulong mask) => new(CutFamily.Bits, mask);

    internal static CutChoice Groups(ulong mask) => new(CutFamily.Groups, mask);

    internal static CutChoice Blocks(ulong mask) => new(CutFamily.Blocks, mask);

    internal static CutChoice Names(ulong mask, bool keepsContent) => new(CutFamily.Names, mask, keepsContent ? 1UL : 0);

    internal static CutChoice Random(ulong seed, int tearBytes = SimContent.SectorBytes) => new(CutFamily.Random, seed, (ulong)tearBytes);

    internal AtomSet Resolve(SimSnapshot snapshot)
    {
        var kept = new AtomSet(snapshot.Atoms.Length);
        Resolve(snapshot, kept);
        return kept;
    }

    internal void Resolve(SimSnapshot snapshot, AtomSet kept)
    {
        kept.SetAll(Family is CutFamily.All or CutFamily.DropOne or CutFamily.DropPair);
        for (int i = 0; i < kept.Count; i++)
        {
            ulong index = (ulong)i;
            switch (Family)
            {
                case CutFamily.Prefix:
                    kept[i] = index < First;
                    break;
                case CutFamily.DropOne when index == First:
                case CutFamily.DropPair when index == First || index == Second:
                    kept[i] = false;
                    break;
                case CutFamily.KeepOne when index == First:
                case CutFamily.KeepPair when index == First || index == Second:
                    kept[i] = true;
                    break;
                case CutFamily.Bits:
                    kept[i] = i < 64 && (First & (1UL << i)) != 0;
                    break;
                case CutFamily.Groups:
                    kept[i] = (First & (1UL << (snapshot.GroupOf[i] % 64))) != 0;
                    break;
                case CutFamily.WithoutBytes:
                    kept[i] = snapshot.Atoms[i].Kind != SimAtomKind.Data;
                    break;
                case CutFamily.Random:
                    kept[i] = (SimRandom.Mix(First, FateOf(snapshot.Atoms[i], index)) & 1) != 0;
                    break;
                case CutFamily.Weighted:
                    kept[i] = Weigh(snapshot, i);
                    break;
                case CutFamily.Blocks:
                    kept[i] = (First & (1UL << (snapshot.BlockOf[i] % 64))) != 0;
                    break;
                case CutFamily.Names:
                    int name = snapshot.NameNumberOf[i];
                    kept[i] = name < 0 ? Second != 0 : name < 64 && (First & (1UL << name)) != 0;
                    break;
            }
        }

        if (snapshot.Profile.OrdersNames)
        {
            KeepNamesInOrder(snapshot, kept);
        }
    }

    /// <summary>What comes after a change of names that is lost is lost as well.</summary>
    private static void KeepNamesInOrder(SimSnapshot snapshot, AtomSet kept)
    {
        bool isLost = false;
        for (int i = 0; i < kept.Count; i++)
        {
            if (snapshot.Atoms[i].IsOfNames)
            {
                isLost |= !kept[i];
                kept[i] = !isLost;
            }
        }
    }

    /// <summary>Atoms with the same value share one fate.</summary>
    private ulong FateOf(SimAtom atom, ulong index) =>
        Second <= SimContent.SectorBytes || atom.Kind != SimAtomKind.Data
            ? index
            : SimRandom.Mix(
                SimRandom.Mix((ulong)atom.Inode, (ulong)atom.CallNumber), (ulong)(atom.Position * SimContent.SectorBytes) / Second);

    private bool Weigh(SimSnapshot snapshot, int atom)
    {
        ulong chance = SimRandom.Mix(First, (ulong)atom);
        bool isAtEdge = snapshot.IsFirstOfGroup(atom) || snapshot.IsLastOfGroup(atom);
        bool mostAreKept = (SimRandom.Mix(First, ulong.MaxValue) & 1) != 0;
        return isAtEdge ? (chance & 1) != 0 : mostAreKept == ((chance & 15) != 0);
    }
}

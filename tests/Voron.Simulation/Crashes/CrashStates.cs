namespace Voron.Simulation.Crashes;

/// <summary>
/// The states that a power cut at one moment is taken to leave: exhaustive where atoms are few, the nasty corners and a random sample
/// where they are many.
/// </summary>
internal static class CrashStates
{
    private const int MostGroups = 8;
    private const int MostNames = 6;

    /// <summary>States with equal images come once. <paramref name="offered"/> counts all.</summary>
    internal static IEnumerable<CrashState> Enumerate(SimSnapshot snapshot, ulong seed, CrashOptions options, Action? offered = null)
    {
        var hasher = new SimImageHasher(snapshot);
        var seen = new HashSet<Hash128>();
        var kept = new AtomSet(snapshot.Atoms.Length);
        foreach (CutChoice choice in Choices(snapshot, seed, options))
        {
            offered?.Invoke();
            choice.Resolve(snapshot, kept);
            Hash128 hash = hasher.Hash(kept, choice);
            if (seen.Add(hash))
            {
                yield return new CrashState(choice, kept, hash);
            }
        }
    }

    private static IEnumerable<CutChoice> Choices(SimSnapshot snapshot, ulong seed, CrashOptions options)
    {
        int count = snapshot.Atoms.Length;
        yield return CutChoice.None;
        if (count == 0)
        {
            yield break;
        }

        yield return CutChoice.All;
        foreach (CutChoice choice in Tears(count, seed, options))
        {
            yield return choice;
        }

        if (count <= options.SubsetAtoms)
        {
            for (ulong mask = 0; mask < 1UL << count; mask++)
            {
                yield return CutChoice.Bits(mask);
            }
        }
        else
        {
            foreach (CutChoice choice in Singles(snapshot, seed, options)
                .Concat(Pairs(count, options)).Concat(Groups(snapshot)).Concat(Blocks(snapshot, options)).Concat(Names(snapshot)))
            {
                yield return choice;
            }

            for (int i = 0; i < options.RandomStates; i++)
            {
                ulong random = SimRandom.Mix(seed, (ulong)i);
                yield return (i % 4) switch
                {
                    0 => CutChoice.Random(random),
                    1 => CutChoice.Random(random, SimContent.BlockBytes),
                    _ => new CutChoice(CutFamily.Weighted, random),
                };
            }
        }

        foreach (CutChoice choice in Garbage(snapshot, seed, options))
        {
            yield return choice;
        }
    }

    /// <summary>Sectors torn inside, as they are when the power goes while the device writes them.</summary>
    private static IEnumerable<CutChoice> Tears(int count, ulong seed, CrashOptions options)
    {
        for (int i = 0; i < options.TornStates; i++)
        {
            ulong random = SimRandom.Mix(seed, (ulong)i + 2000);
            CutChoice choice = (i % 3) switch
            {
                0 => CutChoice.Prefix((int)(random % (ulong)count)),
                1 => CutChoice.Random(random),
                _ => CutChoice.None,
            };
            yield return choice with { Tear = random | 1 };
        }
    }

    private static IEnumerable<CutChoice> Singles(SimSnapshot snapshot, ulong seed, CrashOptions options)
    {
        int count = snapshot.Atoms.Length;
        var random = new SimRandom(seed);
        for (int i = 0; i < count; i++)
        {
            // Where there are too many, those at the edges of calls and files stay: there a protocol's order shows.
            bool isEdge = i == 0 || snapshot.Atoms[i].CallNumber != snapshot.Atoms[i - 1].CallNumber
                || snapshot.IsFirstOfGroup(i) || snapshot.IsLastOfGroup(i);
            if (count <= options.Singles || isEdge || random.Below(count) < options.Singles)
            {
                yield return CutChoice.Prefix(i);
                yield return CutChoice.DropOne(i);
                yield return CutChoice.KeepOne(i);
            }
        }
    }

    private static IEnumerable<CutChoice> Pairs(int count, CrashOptions options)
    {
        if (count > options.PairAtoms)
        {
            yield break;
        }

        for (int first = 0; first < count; first++)
        {
            for (int second = first + 1; second < count; second++)
            {
                yield return new CutChoice(CutFamily.DropPair, (ulong)first, (ulong)second);
                yield return new CutChoice(CutFamily.KeepPair, (ulong)first, (ulong)second);
            }
        }
    }

    private static IEnumerable<CutChoice> Groups(SimSnapshot snapshot)
    {
        int groups = Math.Min(snapshot.GroupCount, 63);
        if (groups <= MostGroups)
        {
            for (ulong mask = 1; mask < (1UL << groups) - 1; mask++)
            {
                yield return CutChoice.Groups(mask);
            }

            yield break;
        }

        ulong all = (1UL << groups) - 1;
        for (int group = 0; group < groups; group++)
        {
            yield return CutChoice.Groups(1UL << group);
            yield return CutChoice.Groups(all & ~(1UL << group));
        }
    }

    /// <summary>Whole blocks instead of sectors: all subsets of them where sectors are too many for that.</summary>
    private static IEnumerable<CutChoice> Blocks(SimSnapshot snapshot, CrashOptions options)
    {
        if (snapshot.BlockCount <= options.SubsetAtoms)
        {
            for (ulong mask = 1; mask < (1UL << snapshot.BlockCount) - 1; mask++)
            {
                yield return CutChoice.Blocks(mask);
            }
        }
    }

    /// <summary>Names that are visible or not, and gone or not, with all that was written and with nothing of it.</summary>
    private static IEnumerable<CutChoice> Names(SimSnapshot snapshot)
    {
        int names = Math.Min(snapshot.NameCount, MostNames);
        for (ulong mask = 0; snapshot.NameCount > 0 && mask < 1UL << names; mask++)
        {
            yield return CutChoice.Names(mask, keepsContent: true);
            yield return CutChoice.Names(mask, keepsContent: false);
        }
    }

    /// <summary>Lengths without their bytes, and what may stand there then.</summary>
    private static IEnumerable<CutChoice> Garbage(SimSnapshot snapshot, ulong seed, CrashOptions options)
    {
        if (!Array.Exists(snapshot.Atoms, atom => atom.Kind == SimAtomKind.Grow))
        {
            yield break;
        }

        var without = new CutChoice(CutFamily.WithoutBytes);
        yield return without;
        if (!snapshot.Profile.ShowsOldBlocks)
        {
            yield break;
        }

        yield return without with { Garbage = SimGarbage.Random, GarbageSeed = seed };
        for (int i = 0; i < 2; i++)
        {
            yield return without with { Garbage = SimGarbage.OtherFile, GarbageSeed = SimRandom.Mix(seed, (ulong)i) };
        }

        for (int i = 0; i < options.RandomStates / 4; i++)
        {
            ulong random = SimRandom.Mix(seed, (ulong)i + 1000);
            SimGarbage garbage = (random & 2) != 0 ? SimGarbage.Random : SimGarbage.OtherFile;
            yield return CutChoice.Random(random) with { Garbage = garbage, GarbageSeed = random };
        }
    }
}

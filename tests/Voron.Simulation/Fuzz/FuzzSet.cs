using Voron.Storage.Format;

namespace Voron.Simulation.Fuzz;

/// <summary>
/// One damaged file set, which follows from its number: odd ones are of tier 2. Of those that end in 4 or 5, every other ten is of
/// multi-value trees, and the rest of fixed-size trees. Any of its
/// damages can be left out, to find out which ones a finding needs.
/// </summary>
internal sealed class FuzzSet
{
    private const int MostDamages = 3;
    private readonly List<string> _words = [];

    private FuzzSet(FuzzSeedImage seed, FuzzImage image, bool isForged)
    {
        Seed = seed;
        Image = image;
        IsForged = isForged;
    }

    internal FuzzSeedImage Seed { get; }

    internal FuzzImage Image { get; }

    internal bool IsForged { get; }

    internal FuzzTrust Trust { get; private set; }

    /// <summary>
    /// Of what a salvage brings. It takes the database of most chunks when slots are of two databases, and that may be the other one.
    /// </summary>
    internal FuzzTrust TrustInSalvage { get; private set; }

    internal int Damages { get; private set; }

    /// <summary>What else is tried with it; equal for equal numbers.</summary>
    internal ulong Choices { get; private init; }

    /// <param name="number">The number of the set.</param>
    /// <param name="without">A damage to leave out, or −1.</param>
    internal static FuzzSet Make(ulong number, int without = -1)
    {
        SimRandom random = new(SimRandom.Mix(number, 11));
        FuzzSeedImage seed = FuzzCorpus.Choose(random, KindOf(number));
        FuzzSet set = new(seed, seed.Image.Copy(), number % 2 == 1) { Choices = random.Next() };
        int count = random.OneIn(4) ? random.Between(2, MostDamages) : 1;
        int strangers = 0;
        FuzzForge? forge = null;
        for (int i = 0; i < count; i++)
        {
            SimRandom own = new(random.Next());
            if (i == without)
            {
                continue;
            }

            if (set.IsForged)
            {
                forge = new FuzzForge(seed, set.Image, own);
                set._words.Add(forge.Apply());
                forge.Seal();
                set.Trust = FuzzTrust.Nothing;
            }
            else
            {
                FuzzDamage damage = new(seed, set.Image, own);
                set._words.Add(damage.Apply());
                set.Trust = damage.Trust > set.Trust ? damage.Trust : set.Trust;
                strangers += damage.IsOfStranger ? 1 : 0;
            }
        }

        bool isNameless = strangers > 0 && !FuzzOracle.WholeSlots(seed, set.Image).Any();
        set.Trust = isNameless || FuzzOracle.IsBaseForgotten(seed, set.Image) ? FuzzTrust.Nothing : set.Trust;
        set.TrustInSalvage = strangers > 1 ? FuzzTrust.Nothing : set.Trust;
        set.Damages = count;
        return set;
    }

    /// <summary>Nothing damaged.</summary>
    internal static FuzzSet Sound(FuzzSeedImage seed) => new(seed, seed.Image.Copy(), isForged: false);

    private static TreeKind KindOf(ulong number) => (number % 20) switch
    {
        4 or 5 => TreeKind.Multi,
        14 or 15 => TreeKind.Fixed,
        _ => TreeKind.Ordered,
    };

    public override string ToString() => $"'{Seed.Name}' at transaction {Seed.LastTransaction}; {string.Join("; ", _words)}";
}

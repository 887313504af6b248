namespace Voron.Simulation;

/// <summary>Ways of choosing the atoms that survive a power cut.</summary>
internal enum CutFamily
{
    None,
    All,

    /// <summary>The first so many, in the order of issue.</summary>
    Prefix,
    DropOne,
    KeepOne,
    DropPair,
    KeepPair,

    /// <summary>Given bit by bit, for the first 64 atoms; later ones are lost.</summary>
    Bits,

    /// <summary>Whole files and whole directories, bit by bit: reordering between files.</summary>
    Groups,

    /// <summary>Blocks of 4096 bytes that one call wrote, bit by bit; every other atom is a block of its own.</summary>
    Blocks,

    /// <summary>Changes of names, bit by bit, with all content or with none.</summary>
    Names,

    /// <summary>All names and lengths, no bytes.</summary>
    WithoutBytes,

    /// <summary>By a seed, torn at 512 or at 4096 bytes.</summary>
    Random,

    /// <summary>By a seed: nearly all or nearly none, with the first and last atom of every file left to chance.</summary>
    Weighted,
}

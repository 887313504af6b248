namespace Voron.Soak;

/// <summary>One kind of trial: takes a seed, tries what follows from it for some seconds, and adds to the tally.</summary>
internal sealed record SoakPart(string Name, Action<ulong, SoakTally> Run);

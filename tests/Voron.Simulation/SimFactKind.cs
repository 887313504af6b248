namespace Voron.Simulation;

/// <summary>Kinds of what a recovery can look at.</summary>
internal enum SimFactKind
{
    Name,
    Listing,
    Length,
    Sectors,
}

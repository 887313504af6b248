namespace Voron.Simulation.Blocks;

/// <summary>What the cuts of a lane were like.</summary>
internal sealed class BlockStatistics
{
    private readonly Lock _gate = new();

    internal int Cuts { get; private set; }

    internal int LostSector { get; private set; }

    internal int InsideCheckpoint { get; private set; }

    /// <summary>Cuts before the first acknowledgement of their life: in the file system's recovery, or in the engine's.</summary>
    internal int InsideOpening { get; private set; }

    /// <summary>Cuts after which a transaction was there that nobody had been told of yet.</summary>
    internal int FoundMore { get; private set; }

    /// <summary>Cuts after which the file system could not be mounted; they are not among the others.</summary>
    internal int Refused { get; private set; }

    internal void CountRefused()
    {
        lock (_gate)
        {
            Refused++;
        }
    }

    internal void Count(int lostSectors, bool insideCheckpoint, long acknowledged, long found)
    {
        lock (_gate)
        {
            Cuts++;
            LostSector += lostSectors > 0 ? 1 : 0;
            InsideCheckpoint += insideCheckpoint ? 1 : 0;
            InsideOpening += acknowledged == 0 ? 1 : 0;
            FoundMore += acknowledged > 0 && found > acknowledged ? 1 : 0;
        }
    }

    internal void Add(BlockStatistics other)
    {
        Cuts += other.Cuts;
        LostSector += other.LostSector;
        InsideCheckpoint += other.InsideCheckpoint;
        InsideOpening += other.InsideOpening;
        FoundMore += other.FoundMore;
        Refused += other.Refused;
    }

    public override string ToString() =>
        $"{Cuts} power cuts, {LostSector} lost a sector, {InsideCheckpoint} inside a checkpoint, {InsideOpening} inside an opening, "
        + $"{FoundMore} kept a transaction not acknowledged yet"
        + (Refused > 0 ? $"; {Refused} more left a file system that refuses to be mounted" : string.Empty);
}

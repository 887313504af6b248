using Voron.Storage.Format;

namespace Voron.Simulation.Fuzz;

/// <summary>A sound record of an image's commit journal, as it stands there.</summary>
internal readonly record struct FuzzRecord(
    string Path, long Sequence, long Offset, int Bytes, long Transaction, JournalPosition Durable, ulong Previous, ulong Checksum)
{
    internal JournalPosition Position => new(Sequence, Offset);
}

namespace Voron.Storage.Format;

/// <summary>A place in a journal: chunk sequence number and byte offset in that chunk. Ordered by sequence, then offset.</summary>
internal readonly record struct JournalPosition(long Sequence, long Offset) : IComparable<JournalPosition>
{
    /// <summary>Before the first chunk: nothing is there.</summary>
    internal static JournalPosition None => default;

    public int CompareTo(JournalPosition other) =>
        Sequence != other.Sequence ? Sequence.CompareTo(other.Sequence) : Offset.CompareTo(other.Offset);

    public static bool operator <(JournalPosition left, JournalPosition right) => left.CompareTo(right) < 0;

    public static bool operator >(JournalPosition left, JournalPosition right) => left.CompareTo(right) > 0;

    public static bool operator <=(JournalPosition left, JournalPosition right) => left.CompareTo(right) <= 0;

    public static bool operator >=(JournalPosition left, JournalPosition right) => left.CompareTo(right) >= 0;

    public override string ToString() => $"chunk {Sequence} offset {Offset}";
}

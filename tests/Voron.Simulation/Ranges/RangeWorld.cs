namespace Voron.Simulation.Ranges;

/// <summary>
/// A state of the model: two ranges of a tree with one key each, what memory, the page cache and the device have of them, and what is in
/// progress. All of it is bytes, so states are compared and copied as a whole.
/// <para>A value is the transaction that put it (<see cref="Absent"/> after a delete, <see cref="Initial"/> before the first one). A range
/// is read at a snapshot as its newest pending entry, or else as its leaves. The leaves are one place of the data file, which a merge
/// writes as a whole, and a page version over it if a change was made in the leaves themselves, past the entries.</para>
/// </summary>
internal sealed class RangeWorld
{
    internal const int Ranges = 2;

    /// <summary>Places for leaves in the data file.</summary>
    internal const int Places = 4;

    /// <summary>Transactions that have a number, with the one that made the database.</summary>
    internal const int Transactions = 8;

    internal const byte Absent = 0;
    internal const byte Initial = 15;
    internal const byte None = 0xEE;
    internal const byte Torn = 0xDD;

    private const int Sets = 2;
    private const int SetBytes = 13;
    private const int EntriesAt = 4 * Ranges * Transactions;
    private const int CountsAt = EntriesAt + (Ranges * Transactions);
    private const int PlacesAt = CountsAt + (5 * Transactions);
    private const int SetsAt = PlacesAt + (2 * Places);
    private const int FieldsAt = SetsAt + (Sets * SetBytes);

    internal RangeWorld() => Bytes = new byte[FieldsAt + (int)Field.Count];

    private enum Field
    {
        Committed,
        Durable,
        OpenKind,
        OpenRange,
        Reader,
        MergePhase,
        MergeRange,
        MergedUpTo,
        MergePlace,
        MergeContent,
        CheckpointPhase,
        Pinned,
        Base,
        Settling,
        Poisoned,
        Dirty,
        Lost,
        Merges,
        Checkpoints,
        Cuts,
        Readers,
        Faults,
        RollBacks,
        Directs,
        Count,
    }

    internal byte[] Bytes { get; }

    /// <summary>The newest committed transaction.</summary>
    internal ref byte Committed => ref At(Field.Committed);

    /// <summary>The newest transaction that is durable; new readers begin at it.</summary>
    internal ref byte Durable => ref At(Field.Durable);

    internal ref byte OpenKind => ref At(Field.OpenKind);

    internal ref byte OpenRange => ref At(Field.OpenRange);

    internal ref byte Reader => ref At(Field.Reader);

    internal ref byte MergePhase => ref At(Field.MergePhase);

    internal ref byte MergeRange => ref At(Field.MergeRange);

    internal ref byte MergedUpTo => ref At(Field.MergedUpTo);

    internal ref byte MergePlace => ref At(Field.MergePlace);

    internal ref byte MergeContent => ref At(Field.MergeContent);

    internal ref byte CheckpointPhase => ref At(Field.CheckpointPhase);

    /// <summary>N of the checkpoint in progress.</summary>
    internal ref byte Pinned => ref At(Field.Pinned);

    /// <summary>The number of the image set that the engine takes for the one on disk.</summary>
    internal ref byte Base => ref At(Field.Base);

    /// <summary>Whether an open has found everything and its slot is not durable yet.</summary>
    internal ref byte Settling => ref At(Field.Settling);

    internal ref byte Poisoned => ref At(Field.Poisoned);

    /// <summary>One bit for each place that is written and not synced.</summary>
    internal ref byte Dirty => ref At(Field.Dirty);

    /// <summary>One bit for each place whose write a failed sync has dropped and the page cache still shows.</summary>
    internal ref byte Lost => ref At(Field.Lost);

    internal ref byte Merges => ref At(Field.Merges);

    internal ref byte Checkpoints => ref At(Field.Checkpoints);

    internal ref byte Cuts => ref At(Field.Cuts);

    internal ref byte Readers => ref At(Field.Readers);

    internal ref byte Faults => ref At(Field.Faults);

    internal ref byte RollBacks => ref At(Field.RollBacks);

    internal ref byte Directs => ref At(Field.Directs);

    /// <summary>What the range holds at the snapshot: the truth that everything is compared with.</summary>
    internal ref byte Value(int transaction, int range) => ref Bytes[(Ranges * transaction) + range];

    /// <summary>Where the branch of this snapshot says that the leaves of the range are.</summary>
    internal ref byte Extent(int transaction, int range) => ref Bytes[(Ranges * (Transactions + transaction)) + range];

    /// <summary>The transaction up to which those leaves contain everything.</summary>
    internal ref byte Merged(int transaction, int range) => ref Bytes[(Ranges * ((2 * Transactions) + transaction)) + range];

    /// <summary>The transaction that last changed the leaves themselves, in a page version over them; 0 for none.</summary>
    internal ref byte Direct(int transaction, int range) => ref Bytes[(Ranges * ((3 * Transactions) + transaction)) + range];

    /// <summary>The value of an entry in memory; None if there is none of this transaction.</summary>
    internal ref byte Entry(int transaction, int range) => ref Bytes[EntriesAt + (Ranges * transaction) + range];

    /// <summary>The count that the engine keeps in the catalog of the snapshot.</summary>
    internal ref byte Count(int transaction) => ref Bytes[CountsAt + transaction];

    internal ref byte Kind(int transaction) => ref Bytes[CountsAt + Transactions + transaction];

    /// <summary>The range that the transaction changed.</summary>
    internal ref byte Changed(int transaction) => ref Bytes[CountsAt + (2 * Transactions) + transaction];

    /// <summary>Whether the commit record is on the device.</summary>
    internal ref byte Record(int transaction) => ref Bytes[CountsAt + (3 * Transactions) + transaction];

    /// <summary>The place that the record of a merge names, where records name places.</summary>
    internal ref byte RecordPlace(int transaction) => ref Bytes[CountsAt + (4 * Transactions) + transaction];

    internal ref byte Cache(int place) => ref Bytes[PlacesAt + place];

    internal ref byte Device(int place) => ref Bytes[PlacesAt + Places + place];

    /// <summary>0 when the set is gone.</summary>
    internal ref byte SetState(int number) => ref InSet(number, 0);

    internal ref byte SetNumber(int number) => ref InSet(number, 1);

    internal ref byte SetSnapshot(int number) => ref InSet(number, 2);

    internal ref byte SetCount(int number) => ref InSet(number, 3);

    /// <summary>Records after this one are needed to know the entries that are pending at the snapshot of the set.</summary>
    internal ref byte SetPosition(int number) => ref InSet(number, 4);

    internal ref byte SetExtent(int number, int range) => ref InSet(number, 5 + range);

    internal ref byte SetMerged(int number, int range) => ref InSet(number, 5 + Ranges + range);

    /// <summary>The entry that the set carries for the range; None for none.</summary>
    internal ref byte SetEntry(int number, int range) => ref InSet(number, 5 + (2 * Ranges) + range);

    /// <summary>What the set has as an image of the leaves themselves.</summary>
    internal ref byte SetDirect(int number, int range) => ref InSet(number, 5 + (3 * Ranges) + range);

    internal static byte Content(int range, int value) => (byte)((range << 4) | value);

    /// <summary>Reads the range at the snapshot. The version, rightly its own, says what is pending and where the leaves are.</summary>
    internal byte Read(int snapshot, int range, int version)
    {
        byte entry = Newest(snapshot, Floor(version, range), range);
        byte direct = Direct(version, range);
        return entry != None ? entry : direct != 0 ? direct : ReadLeaves(Extent(version, range), range);
    }

    /// <summary>The last transaction whose entries are not pending in the version: those after it hide the leaves.</summary>
    internal int Floor(int version, int range) => Math.Max(Merged(version, range), Direct(version, range));

    /// <summary>The newest entry in memory up to a transaction and after another one; None if there is none.</summary>
    internal byte Newest(int upTo, int after, int range)
    {
        for (int transaction = upTo; transaction > after; transaction--)
        {
            if (Entry(transaction, range) != None)
            {
                return Entry(transaction, range);
            }
        }

        return None;
    }

    internal byte ReadLeaves(int place, int range)
    {
        byte content = Cache(place);
        return content >> 4 == range ? (byte)(content & 15) : Torn;
    }

    /// <summary>The number of keys at the snapshot.</summary>
    internal int TrueCount(int transaction)
    {
        int count = 0;
        for (int range = 0; range < Ranges; range++)
        {
            count += Value(transaction, range) == Absent ? 0 : 1;
        }

        return count;
    }

    private ref byte At(Field field) => ref Bytes[FieldsAt + (int)field];

    private ref byte InSet(int number, int at) => ref Bytes[SetsAt + (SetBytes * (number % Sets)) + at];
}

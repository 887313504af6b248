namespace Voron.Storage;

/// <summary>What a dump has written.</summary>
/// <param name="TransactionId">The last transaction that the dumped snapshot contains.</param>
/// <param name="Trees">Trees, each of them a section.</param>
/// <param name="Entries">Entries of all trees.</param>
/// <param name="Bytes">Bytes of the dump.</param>
/// <param name="Warnings">What <c>mdb_load</c> of LMDB will refuse, at most three messages for each tree.</param>
public sealed record DumpReport(long TransactionId, long Trees, long Entries, long Bytes, IReadOnlyList<string> Warnings);

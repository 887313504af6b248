namespace Voron.Storage.Replication.Core;

/// <summary>Where a node is in the log, and what the rule of counting needs to go on from there.</summary>
/// <param name="Log">Id of the log; empty before the first epoch.</param>
/// <param name="Position">The last entry that was read; 0 before the first one.</param>
/// <param name="Crc">Checksum of that entry: another one in its place is another log, or one that lost its end.</param>
/// <param name="Epoch">The present epoch; 0 before the first one.</param>
/// <param name="Number">Number of the last entry that counted.</param>
/// <param name="Writer">Nonce of the present epoch.</param>
/// <param name="TransactionId">The last transaction that is whole in the entries up to here.</param>
/// <param name="Node">The name of the node that leads since the present epoch.</param>
/// <param name="Address">Where callers reach that node.</param>
internal sealed record LogState(
    Guid Log, long Position, uint Crc, long Epoch, long Number, Guid Writer, long TransactionId, string Node, string Address)
{
    /// <summary>Before the first entry.</summary>
    internal static LogState Begin { get; } = new(Guid.Empty, 0, 0, 0, 0, Guid.Empty, 0, string.Empty, string.Empty);

    /// <summary>The name of the node that leads, or led last; null before the first epoch.</summary>
    internal string? Leader => Epoch == 0 ? null : Node;

    /// <summary>Where callers reach that node; null before the first epoch.</summary>
    internal string? LeaderAddress => Epoch == 0 ? null : Address;

    /// <summary>Whether a database that has transactions up to this one durably may go on from here.</summary>
    internal bool IsCoveredBy(long durable) => TransactionId <= durable;
}

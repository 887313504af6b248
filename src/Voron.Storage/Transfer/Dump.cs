using System.IO.Pipelines;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Transactions;

namespace Voron.Storage.Transfer;

/// <summary>A dump of one snapshot of an open database.</summary>
internal static class Dump
{
    /// <summary>The bytes of a tree's name.</summary>
    internal static byte[] NameOf(string name)
    {
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return TreeName.Encode(name, bytes).ToArray();
    }

    internal static async ValueTask<DumpReport> WriteAsync(
        Database database, PipeWriter pipe, DumpOptions options, byte[]? tree, CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        ReaderSlot slot = database.BeginRead();
        long occupant = slot.Occupant;
        try
        {
            IReadOnlyList<byte[]> names = tree is null ? TreeName.ListBytes(slot.Source, slot.Snapshot) : [tree];
            return await new DumpWriter(slot, pipe, options, cancellation).RunAsync(names).ConfigureAwait(false);
        }
        finally
        {
            slot.Release(occupant);
        }
    }
}

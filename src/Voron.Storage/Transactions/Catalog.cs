using System.Runtime.InteropServices;
using System.Text;
using Voron.Storage.Format;
using Voron.Storage.Trees;
using Voron.Storage.Versions;

namespace Voron.Storage.Transactions;

/// <summary>The catalog: the tree rooted in page 2 that maps names to tree records.</summary>
internal static class Catalog
{
    internal static bool TryFind(PageSource source, TransactionId snapshot, ReadOnlySpan<byte> name, out TreeRecord record)
    {
        if (!TreeReader.TryFind(source, snapshot, FormatConstants.CatalogRootPage, name, out ReadOnlySpan<byte> value))
        {
            record = default;
            return false;
        }

        record = Decode(name, value);
        return true;
    }

    internal static void Write(TreeWriter trees, ReadOnlySpan<byte> name, TreeRecord record) =>
        trees.Put(FormatConstants.CatalogRootPage, name, MemoryMarshal.AsBytes(new ReadOnlySpan<TreeRecord>(in record)));

    internal static TreeRecord Decode(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        if (value.Length != TreeRecord.SizeBytes)
        {
            Throw.BadTreeRecord(Encoding.UTF8.GetString(name));
        }

        TreeRecord record = MemoryMarshal.Read<TreeRecord>(value);
        if (record.RootPage <= FormatConstants.CatalogRootPage || record.EntryCount < 0)
        {
            Throw.BadTreeRecord(Encoding.UTF8.GetString(name));
        }

        if (record.Kind != TreeKind.Ordered)
        {
            Throw.KindMismatch(Encoding.UTF8.GetString(name), (byte)record.Kind);
        }

        return record;
    }
}

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

    /// <summary>As above; throws if the tree is not of the wanted shape.</summary>
    internal static bool TryFind(
        PageSource source, TransactionId snapshot, ReadOnlySpan<byte> name, TreeShape wanted, out TreeRecord record)
    {
        bool exists = TryFind(source, snapshot, name, out record);
        if (exists && record.Shape != wanted)
        {
            Throw.KindMismatch(name, wanted.ToString(), record.Shape);
        }

        return exists;
    }

    /// <summary>As above for an ordered tree, write-optimized or not; throws if the tree is of another kind.</summary>
    internal static bool TryFindOrdered(PageSource source, TransactionId snapshot, ReadOnlySpan<byte> name, out TreeRecord record)
    {
        bool exists = TryFind(source, snapshot, name, out record);
        if (exists && !record.Shape.IsOrdered)
        {
            Throw.KindMismatch(name, TreeShape.Ordered.ToString(), record.Shape);
        }

        return exists;
    }

    /// <summary>As above for a multi-value tree with values of any length; throws if the tree is of another kind.</summary>
    internal static bool TryFindMulti(PageSource source, TransactionId snapshot, ReadOnlySpan<byte> name, out TreeRecord record)
    {
        bool exists = TryFind(source, snapshot, name, out record);
        if (exists && record.Kind != TreeKind.Multi)
        {
            Throw.KindMismatch(name, "a multi-value tree", record.Shape);
        }

        return exists;
    }

    /// <summary>As above for a fixed-size tree with such keys; throws if the tree is of another kind, or has other keys.</summary>
    internal static bool TryFindFixed(
        PageSource source, TransactionId snapshot, ReadOnlySpan<byte> name, FixedKeyKind keys, out TreeRecord record)
    {
        bool exists = TryFind(source, snapshot, name, out record);
        if (exists && (record.Kind != TreeKind.Fixed || record.KeyKind != keys))
        {
            Throw.KindMismatch(name, $"a fixed-size tree with {keys} keys", record.Shape);
        }

        return exists;
    }

    internal static void Write(LayeredTreeWriter trees, ReadOnlySpan<byte> name, in TreeRecord record, PendingTree? pending = null)
    {
        ReadOnlySpan<byte> value = MemoryMarshal.AsBytes(new ReadOnlySpan<TreeRecord>(in record))[..record.Bytes];
        if (pending is not null)
        {
            WriteWithSteps(trees, name, value, pending);
            return;
        }

        trees.Put(FormatConstants.CatalogRootPage, name, value);
    }

    private static void WriteWithSteps(LayeredTreeWriter trees, ReadOnlySpan<byte> name, ReadOnlySpan<byte> record, PendingTree pending)
    {
        Span<byte> value = stackalloc byte[TreeRecord.SizeBytes + PendingSteps.MostBytes];
        record.CopyTo(value);
        int steps = pending.WriteSteps(value[record.Length..]);
        trees.Put(FormatConstants.CatalogRootPage, name, value[..(record.Length + steps)]);
    }

    /// <summary>Returns the names and records of the trees that have pending entries.</summary>
    internal static List<(byte[] Name, TreeRecord Record, List<PendingStep> Steps)> FindPending(PageSource source, TransactionId snapshot)
    {
        List<(byte[] Name, TreeRecord Record, List<PendingStep> Steps)> found = [];
        byte[] buffer = new byte[TreeCursor.BufferBytes(source.PageBytes)];
        TreeCursor cursor = new(source, snapshot, FormatConstants.CatalogRootPage, buffer, remembersKey: false);
        while (cursor.MoveNext())
        {
            TreeRecord record = Decode(cursor.Key, cursor.Value);
            if (record.PendingSince != TransactionId.None)
            {
                if (!PendingSteps.TryRead(cursor.Value[TreeRecord.SizeBytes..], out List<PendingStep> steps))
                {
                    Throw.BadTreeRecord(Encoding.UTF8.GetString(cursor.Key));
                }

                found.Add((cursor.Key.ToArray(), record, steps));
            }
        }

        return found;
    }

    internal static TreeRecord Decode(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        if (!TreeRecord.TryRead(value, out TreeRecord record))
        {
            Throw.BadTreeRecord(Encoding.UTF8.GetString(name));
        }

        if (record.RootPage <= FormatConstants.CatalogRootPage || record.EntryCount < 0)
        {
            Throw.BadTreeRecord(Encoding.UTF8.GetString(name));
        }

        if (!record.Shape.IsPossible)
        {
            Throw.KindMismatch(name, "a tree of a kind that this build knows", record.Shape);
        }

        return record;
    }
}

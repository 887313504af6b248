using System.Buffers;
using System.Text;
using System.Text.Unicode;
using Voron.Storage.Format;
using Voron.Storage.Trees;
using Voron.Storage.Versions;

namespace Voron.Storage.Transactions;

/// <summary>Checks tree names and converts them between text and UTF-8.</summary>
internal static class TreeName
{
    internal static ReadOnlySpan<byte> Encode(string name, Span<byte> buffer)
    {
        OperationStatus status = Utf8.FromUtf16(name, buffer, out int read, out int written, replaceInvalidSequences: false);
        if (status == OperationStatus.DestinationTooSmall)
        {
            Throw.BadName(Encoding.UTF8.GetByteCount(name));
        }

        if (status != OperationStatus.Done)
        {
            // With invalid text replaced by a replacement character, different names would denote the same tree.
            Throw.NameIsNoText(read);
        }

        return buffer[..written];
    }

    internal static void Check(ReadOnlySpan<byte> name)
    {
        if (name.Length is 0 or > FormatConstants.MaxNameBytes)
        {
            Throw.BadName(name.Length);
        }
    }

    /// <summary>Refuses the name of a tree that the engine keeps for itself.</summary>
    internal static ReadOnlySpan<byte> Public(ReadOnlySpan<byte> name)
    {
        if (InternalTrees.Contains(name))
        {
            Throw.InternalName();
        }

        return name;
    }

    /// <summary>Returns the names of all trees but the engine's own in a snapshot's catalog, in byte order, as text.</summary>
    internal static List<string> List(PageSource source, TransactionId snapshot) =>
        ListBytes(source, snapshot).ConvertAll(static name => Encoding.UTF8.GetString(name));

    /// <summary>Returns the names of all trees but the engine's own in a snapshot's catalog, in byte order.</summary>
    internal static List<byte[]> ListBytes(PageSource source, TransactionId snapshot) =>
        ListAll(source, snapshot).FindAll(static name => !InternalTrees.Contains(name));

    /// <summary>Returns all tree names in a snapshot's catalog, in byte order.</summary>
    internal static List<byte[]> ListAll(PageSource source, TransactionId snapshot)
    {
        List<byte[]> names = [];
        byte[] buffer = new byte[TreeCursor.BufferBytes(source.PageBytes)];
        TreeCursor cursor = new(source, snapshot, FormatConstants.CatalogRootPage, buffer, remembersKey: false);
        while (cursor.MoveNext())
        {
            if (cursor.Key.Length is 0 or > FormatConstants.MaxNameBytes)
            {
                Throw.BadTreeRecord(Encoding.UTF8.GetString(cursor.Key));
            }

            names.Add(cursor.Key.ToArray());
        }

        return names;
    }
}

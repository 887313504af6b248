using System.Buffers;
using System.IO.Pipelines;
using Voron.Storage;

namespace Voron.Simulation.Engine;

/// <summary>Values go into the engine as spans or, every second long one, as streams; they come out the way they can.</summary>
internal static class EngineValue
{
    /// <summary>
    /// Puts a value; one that is written as a stream is completed by the caller, when it likes, and by then other values have been put.
    /// </summary>
    internal static PipeWriter? Put(Tree tree, byte[] key, byte[] value)
    {
        if (value.Length < EngineSubject.PlacedValueBytes || value.Length % 2 == 0)
        {
            PutWhole(tree, key, value);
            return null;
        }

        PipeWriter writer = tree.OpenValueWriter(OwnKey(tree, key));
        for (int done = 0; done < value.Length;)
        {
            int part = Math.Min(EngineSubject.ValuePieceBytes, value.Length - done);
            writer.Write(value.AsSpan(done, part));
            done += part;
        }

        return writer;
    }

    internal static byte[] Of(ReadTree tree, Cursor cursor)
    {
        try
        {
            return cursor.Value.ToArray();
        }
        catch (ValueInPiecesException)
        {
            return tree.TryOpenValueReader(cursor.Key, out PipeReader? reader) ? ReadAll(reader) : [];
        }
    }

    /// <summary>All other ways to put, told apart by the value's length; they mean the same.</summary>
    private static void PutWhole(Tree tree, byte[] key, byte[] value)
    {
        switch (value.Length % 3)
        {
            case 1:
                value.CopyTo(tree.Reserve(key, value.Length));
                break;
            case 2 when IsBehindAll(tree, key):
                tree.Append(key, value);
                break;
            case 0 when value.Length / 3 % 3 == 1:
                AddFromTree(tree, key, value);
                break;
            case 0 when value.Length / 3 % 3 == 2:
                tree.Put(key, value.Length, value, static (bytes, source) => source.CopyTo(bytes));
                break;
            default:
                tree.Put(key, value);
                break;
        }
    }

    /// <summary>
    /// The key as a span of the tree's own row, where there is one: the next change may move what it lies in, before it is noted.
    /// </summary>
    internal static ReadOnlySpan<byte> OwnKey(Tree tree, byte[] key) =>
        tree.TryGetCeiling(key, out TreeEntry row) && row.Key.SequenceEqual(key) ? row.Key : key;

    /// <summary>The value comes from another row of the same tree, as a span of it; that row is there for so long only.</summary>
    private static void AddFromTree(Tree tree, byte[] key, byte[] value)
    {
        byte[] other = [.. key, (byte)'~'];
        tree.Put(other, value);
        tree.Delete(OwnKey(tree, key));
        if (!tree.TryGet(other, out ReadOnlySpan<byte> own) || !tree.TryAdd(key, own))
        {
            throw new InvalidDataException("A key that was deleted is still there.");
        }

        tree.Delete(OwnKey(tree, other));
    }

    private static bool IsBehindAll(Tree tree, byte[] key)
    {
        using WriteCursor cursor = tree.OpenCursor();
        return !cursor.MoveLast() || cursor.Key.SequenceCompareTo(key) < 0;
    }

    private static byte[] ReadAll(PipeReader reader)
    {
        while (true)
        {
            reader.TryRead(out ReadResult result);
            if (result.IsCompleted)
            {
                byte[] all = result.Buffer.ToArray();
                reader.Complete();
                return all;
            }

            reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
        }
    }
}

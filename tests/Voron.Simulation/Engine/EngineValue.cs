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

        PipeWriter writer = tree.OpenValueWriter(key);
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
            default:
                tree.Put(key, value);
                break;
        }
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

using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.Journal;

/// <summary>Reads a part of a transaction's redo body. Every length is checked against the remaining bytes.</summary>
internal ref struct RedoReader
{
    private ReadOnlySpan<byte> _rest;

    /// <param name="part">The bytes of one record.</param>
    /// <param name="isFirst">Whether this is the first part of the body, which begins with the version.</param>
    internal RedoReader(ReadOnlySpan<byte> part, bool isFirst = true)
    {
        if (isFirst && (part.IsEmpty || part[0] != FormatConstants.RedoVersion))
        {
            Throw.BadBody("its version is unknown");
        }

        _rest = isFirst ? part[1..] : part;
    }

    /// <summary>Bytes after the current operation.</summary>
    internal readonly int RestBytes => _rest.Length;

    internal RedoOperation Operation { get; private set; }

    /// <summary>For the creation of a tree: its kind and parameters.</summary>
    internal TreeShape Shape { get; private set; }

    /// <summary>The key, the first key of a range, or the tree's name.</summary>
    internal ReadOnlySpan<byte> Key { get; private set; }

    /// <summary>The value, the exclusive end key of a range, or the tree's new name.</summary>
    internal ReadOnlySpan<byte> Value { get; private set; }

    /// <summary>For <see cref="RedoOperation.PutPlaced"/>: the runs that hold the value or its pieces; at least one.</summary>
    internal readonly PlacedRun[] Runs
    {
        get
        {
            if (Value.Length == 0 || Value.Length % PlacedRun.SizeBytes != 0)
            {
                Throw.BadBody($"a list of {Value.Length} bytes names no runs");
            }

            return MemoryMarshal.Cast<byte, PlacedRun>(Value).ToArray();
        }
    }

    /// <summary>For a roll-back or a release: how many savepoints precede the one meant.</summary>
    internal int Depth { get; private set; }

    /// <summary>For <see cref="RedoOperation.Time"/>: the time in ticks.</summary>
    internal long Ticks { get; private set; }

    /// <summary>Returns the time that a commit record ends with, in ticks; 0 if it has none.</summary>
    internal static long TimeOf(ReadOnlySpan<byte> part, bool isFirst)
    {
        const int TimeBytes = 1 + sizeof(long);
        if (part.Length < TimeBytes || part[^TimeBytes] != (byte)RedoOperation.Time)
        {
            return 0;
        }

        // The byte may as well be one of a value.
        RedoReader redo = new(part, isFirst);
        while (redo.MoveNext())
        {
            // Only the last operation counts.
        }

        return redo.Operation == RedoOperation.Time ? redo.Ticks : 0;
    }

    internal bool MoveNext()
    {
        if (_rest.IsEmpty)
        {
            return false;
        }

        Operation = (RedoOperation)TakeByte();
        Value = default;
        switch (Operation)
        {
            case RedoOperation.SelectTree or RedoOperation.Delete or RedoOperation.DropTree:
                Key = Take(TakeLength());
                break;
            case RedoOperation.CreateTree:
                Shape = new TreeShape((TreeKind)TakeByte());
                Key = Take(TakeLength());
                break;
            case RedoOperation.CreateTreeOf:
                Shape = TakeShape();
                Key = Take(TakeLength());
                break;
            case RedoOperation.Put or RedoOperation.DeleteRange or RedoOperation.RenameTree or RedoOperation.PutPlaced
                or RedoOperation.DeletePair:
                int firstBytes = TakeLength();
                int secondBytes = TakeLength();
                Key = Take(firstBytes);
                Value = Take(secondBytes);
                break;
            case RedoOperation.Savepoint:
                break;
            case RedoOperation.RollbackTo or RedoOperation.Release:
                Depth = TakeNumber();
                break;
            case RedoOperation.Time:
                Ticks = MemoryMarshal.Read<long>(Take(sizeof(long)));
                break;
            default:
                Throw.BadBody($"operation {(byte)Operation} is unknown");
                break;
        }

        return true;
    }

    private TreeShape TakeShape()
    {
        TreeRecord record = default;
        Take(1 + TreeShape.ParameterBytes).CopyTo(MemoryMarshal.AsBytes(new Span<TreeRecord>(ref record)));
        if (record is not { Reserved1: 0, Shape.IsPossible: true })
        {
            Throw.BadBody($"no tree is of kind {(byte)record.Kind} with such parameters");
        }

        return record.Shape;
    }

    private byte TakeByte()
    {
        if (_rest.IsEmpty)
        {
            Throw.BadBody("it ends inside an operation");
        }

        byte taken = _rest[0];
        _rest = _rest[1..];
        return taken;
    }

    private int TakeLength()
    {
        int length = TakeNumber();
        if (length > _rest.Length)
        {
            Throw.BadBody($"a length of {length} bytes with {_rest.Length} left");
        }

        return length;
    }

    private int TakeNumber()
    {
        ulong number = 0;
        for (int shift = 0; shift < 35; shift += 7)
        {
            byte next = TakeByte();
            number |= (ulong)(next & 0x7F) << shift;
            if (next < 0x80 && number <= int.MaxValue)
            {
                return (int)number;
            }
        }

        Throw.BadBody("a number is too long");
        return 0;
    }

    private ReadOnlySpan<byte> Take(int length)
    {
        if (length > _rest.Length)
        {
            Throw.BadBody($"{length} bytes where {_rest.Length} are left");
        }

        ReadOnlySpan<byte> taken = _rest[..length];
        _rest = _rest[length..];
        return taken;
    }
}

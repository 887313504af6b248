using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.Journal;

/// <summary>Writes a transaction's redo body. The buffer is reused from one transaction to the next.</summary>
internal sealed class RedoWriter
{
    private const int LongestVarint = 5;

    private byte[] _bytes = GC.AllocateUninitializedArray<byte>(64 << 10);
    private int _length;
    private int _start;

    /// <summary>The bytes written since the beginning or since the last fragment.</summary>
    internal ReadOnlySpan<byte> Written => _bytes.AsSpan(0, _length);

    /// <summary>Number of bytes of operations in <see cref="Written"/>.</summary>
    internal int OperationBytes => _length - _start;

    /// <summary>Begins a body.</summary>
    internal void Reset()
    {
        _bytes[0] = FormatConstants.RedoVersion;
        _length = 1;
        _start = 1;
    }

    /// <summary>Continues the body after a fragment was taken.</summary>
    internal void Continue()
    {
        _length = 0;
        _start = 0;
    }

    internal void SelectTree(ReadOnlySpan<byte> name) => WriteOne(RedoOperation.SelectTree, name);

    internal void Delete(ReadOnlySpan<byte> key) => WriteOne(RedoOperation.Delete, key);

    internal void DropTree(ReadOnlySpan<byte> name) => WriteOne(RedoOperation.DropTree, name);

    internal void CreateTree(TreeKind kind, ReadOnlySpan<byte> name)
    {
        EnsureRoom(2 + LongestVarint + name.Length);
        _bytes[_length++] = (byte)RedoOperation.CreateTree;
        _bytes[_length++] = (byte)kind;
        WriteLength(name.Length);
        WriteBytes(name);
    }

    /// <summary>Creates a tree that is not ordered.</summary>
    internal void CreateTreeOf(TreeShape shape, ReadOnlySpan<byte> name)
    {
        EnsureRoom(2 + TreeShape.ParameterBytes + LongestVarint + name.Length);
        _bytes[_length++] = (byte)RedoOperation.CreateTreeOf;
        TreeRecord record = new() { Shape = shape };
        WriteBytes(MemoryMarshal.AsBytes(new ReadOnlySpan<TreeRecord>(in record))[..(1 + TreeShape.ParameterBytes)]);
        WriteLength(name.Length);
        WriteBytes(name);
    }

    /// <summary>Writes a put and returns the offset of the key in <see cref="Written"/>; the value follows it.</summary>
    internal int Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        EnsureRoom(checked(1 + (2 * LongestVarint) + key.Length + value.Length));
        Span<byte> room = _bytes.AsSpan(_length);
        room[0] = (byte)RedoOperation.Put;
        int at = 1 + WriteLength(room[1..], key.Length);
        at += WriteLength(room[at..], value.Length);
        key.CopyTo(room[at..]);
        value.CopyTo(room[(at + key.Length)..]);
        int keyOffset = _length + at;
        _length = keyOffset + key.Length + value.Length;
        return keyOffset;
    }

    internal void PutPlaced(ReadOnlySpan<byte> key, ReadOnlySpan<PlacedRun> runs) =>
        WriteTwo(RedoOperation.PutPlaced, key, MemoryMarshal.AsBytes(runs));

    internal void DeletePair(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) => WriteTwo(RedoOperation.DeletePair, key, value);

    internal void DeleteRange(ReadOnlySpan<byte> from, ReadOnlySpan<byte> to) => WriteTwo(RedoOperation.DeleteRange, from, to);

    internal void RenameTree(ReadOnlySpan<byte> name, ReadOnlySpan<byte> newName) => WriteTwo(RedoOperation.RenameTree, name, newName);

    internal void RollbackTo(int depth) => WriteDepth(RedoOperation.RollbackTo, depth);

    internal void Release(int depth) => WriteDepth(RedoOperation.Release, depth);

    /// <summary>Notes the time of the transaction, in ticks.</summary>
    internal void Time(long ticks)
    {
        EnsureRoom(1 + sizeof(long));
        _bytes[_length++] = (byte)RedoOperation.Time;
        WriteBytes(MemoryMarshal.AsBytes(new ReadOnlySpan<long>(in ticks)));
    }

    /// <summary>Inserts a savepoint between operations and returns by how many bytes the operations after it moved.</summary>
    internal int InsertSavepoint(int at)
    {
        EnsureRoom(1);
        _bytes.AsSpan(at, _length - at).CopyTo(_bytes.AsSpan(at + 1));
        _bytes[at] = (byte)RedoOperation.Savepoint;
        _length++;
        return 1;
    }

    /// <summary>Discards everything after the end of an operation.</summary>
    internal void Truncate(int length) => _length = length;

    private void WriteDepth(RedoOperation operation, int depth)
    {
        EnsureRoom(1 + LongestVarint);
        _bytes[_length++] = (byte)operation;
        WriteLength(depth);
    }

    private void WriteTwo(RedoOperation operation, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second)
    {
        EnsureRoom(1 + (2 * LongestVarint) + first.Length + second.Length);
        _bytes[_length++] = (byte)operation;
        WriteLength(first.Length);
        WriteLength(second.Length);
        WriteBytes(first);
        WriteBytes(second);
    }

    private void WriteOne(RedoOperation operation, ReadOnlySpan<byte> bytes)
    {
        EnsureRoom(1 + LongestVarint + bytes.Length);
        _bytes[_length++] = (byte)operation;
        WriteLength(bytes.Length);
        WriteBytes(bytes);
    }

    private void WriteLength(int length) => _length += WriteLength(_bytes.AsSpan(_length), length);

    /// <summary>Writes a length and returns how many bytes it took.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int WriteLength(Span<byte> room, int length)
    {
        int bytes = 0;
        uint rest = (uint)length;
        for (; rest >= 0x80; rest >>= 7)
        {
            room[bytes++] = (byte)(rest | 0x80);
        }

        room[bytes] = (byte)rest;
        return bytes + 1;
    }

    private void WriteBytes(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(_bytes.AsSpan(_length));
        _length += bytes.Length;
    }

    private void EnsureRoom(int bytes)
    {
        int needed = checked(_length + bytes);
        if (needed > _bytes.Length)
        {
            int longer = (int)Math.Min(Math.Max(needed, _bytes.Length * 2L), Array.MaxLength);
            byte[] larger = GC.AllocateUninitializedArray<byte>(longer);
            Written.CopyTo(larger);
            _bytes = larger;
        }
    }
}

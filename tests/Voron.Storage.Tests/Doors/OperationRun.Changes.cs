using System.Buffers;
using System.IO.Pipelines;
using FluentAssertions;
using Voron.Storage.Tests.Trees;

namespace Voron.Storage.Tests.Doors;

/// <content>The changes, each made in the tree and in the model.</content>
internal sealed partial class OperationRun
{
    private void Grow(Tree tree)
    {
        byte[] key = AnyKey();
        byte[] value = NewValue();
        ReadOnlySpan<byte> valueNow = OwnValue(tree, ref value);
        ReadOnlySpan<byte> keyNow = OwnKey(tree, key);
        switch (_random.Next(14))
        {
            case 0:
                tree.TryAdd(keyNow, valueNow).Should().Be(!_model.ContainsKey(key));
                _model.TryAdd(key, value);
                break;
            case 1:
                Span<byte> room = tree.Reserve(keyNow, value.Length);
                IsTrue(room.Length == value.Length && !room.ContainsAnyExcept((byte)0), "a reservation");
                value.CopyTo(room);
                _model[key] = value;
                break;
            case 2 or 3:
                Append(tree, key, value);
                break;
            case 4:
                Load(tree);
                break;
            case 5:
                PutAtCursor(tree, key, value);
                break;
            case 6:
                tree.Put(keyNow, value.Length, valueNow, static (bytes, source) => source.CopyTo(bytes));
                _model[key] = value;
                break;
            case 7 when value.Length < _options.Engine.ValuePieceBytes:
                PipeWriter writer = tree.OpenValueWriter(keyNow);
                writer.Write(value);
                writer.Complete();
                _model[key] = value;
                break;
            default:
                tree.Put(keyNow, valueNow);
                _model[key] = value;
                break;
        }

        _known.Add(key);
        if (_known.Count > 4000)
        {
            _known.RemoveRange(0, 2000);
        }
    }

    private void Shrink(Tree tree)
    {
        switch (_random.Next(10))
        {
            case 0:
                DeleteRange(tree);
                break;
            case 1 or 2:
                DeleteAtCursor(tree);
                break;
            default:
                byte[] key = AnyKey();
                tree.Delete(OwnKey(tree, key)).Should().Be(_model.Remove(key));
                break;
        }
    }

    private byte[]? LastKey()
    {
        byte[]? last = null;
        foreach (byte[] key in _model.Keys)
        {
            last = key;
        }

        return last;
    }

    private void Append(Tree tree, byte[] key, byte[] value)
    {
        byte[]? last = LastKey();
        if (_random.Next(2) == 0 && last is not null && last.Length < _maxKeyBytes)
        {
            key = [.. last, (byte)_random.Next(256)];
        }

        if (last is null || ByteOrder.Instance.Compare(key, last) > 0)
        {
            tree.Append(key, OwnValue(tree, ref value));
            _model[key] = value;
            return;
        }

        Action append = () => tree.Append(key, value);
        append.Should().Throw<ArgumentException>();
        TreeCounts.Compare(tree, _model.Count);
    }

    private void Load(Tree tree)
    {
        byte[] last = LastKey() ?? [];
        List<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>> entries = [];
        for (int i = 0; i < 40 && last.Length < _maxKeyBytes; i++)
        {
            last = [.. last, (byte)i];
            byte[] value = NewValue();
            entries.Add(KeyValuePair.Create<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>(last, value));
            _model[last] = value;
        }

        tree.Load(entries).Should().Be(entries.Count);
    }

    private void DeleteRange(Tree tree)
    {
        byte[] from = AnyKey();
        byte[] to = AnyKey();
        byte[][] keys = [.. _model.Keys];
        if (_random.Next(4) != 0 && keys.Length > 0)
        {
            // Mostly short ranges, else nothing grows.
            int at = _random.Next(keys.Length);
            from = keys[at];
            to = keys[Math.Min(keys.Length - 1, at + _random.Next(60))];
        }

        long expected = 0;
        foreach (byte[] key in keys)
        {
            if (ByteOrder.Instance.Compare(key, from) >= 0 && ByteOrder.Instance.Compare(key, to) < 0)
            {
                _model.Remove(key);
                expected++;
            }
        }

        tree.DeleteRange(OwnKey(tree, from), OwnKey(tree, to)).Should().Be(expected);
    }

    private void PutAtCursor(Tree tree, byte[] key, byte[] value)
    {
        using WriteCursor cursor = tree.OpenCursor();
        using WriteCursor other = tree.OpenCursor();
        bool stands = other.Seek(AnyKey());
        byte[] place = stands ? other.Key.ToArray() : [];
        ReadOnlySpan<byte> valueNow = stands && _random.Next(4) == 0 ? other.Key : OwnValue(tree, ref value);
        value = valueNow.ToArray();
        cursor.Put(OwnKey(tree, key), valueNow);
        _model[key] = value;
        IsTrue(cursor.Key.SequenceEqual(key) && cursor.Value.SequenceEqual(value), "a cursor after its put");
        byte[] newer = NewValue();
        cursor.SetValue(OwnValue(tree, ref newer));
        _model[key] = newer;
        IsTrue(cursor.Key.SequenceEqual(key) && cursor.Value.SequenceEqual(newer), "a cursor after its value was set");
        IsTrue(!stands || (other.Key.SequenceEqual(place) && other.Value.SequenceEqual(_model[place])), "a cursor beside a put");
    }

    private void DeleteAtCursor(Tree tree)
    {
        byte[][] keys = [.. _model.Keys];
        byte[] start = AnyKey();
        int at = Array.BinarySearch(keys, start, ByteOrder.Instance);
        at = at < 0 ? ~at : at;
        using WriteCursor cursor = tree.OpenCursor();
        using WriteCursor watcher = tree.OpenCursor();
        cursor.Seek(start).Should().Be(at < keys.Length);
        watcher.SeekFloor(start);
        int removed = 0;
        for (; at + removed < keys.Length && removed < 25 && cursor.HasRow; removed++)
        {
            IsTrue(cursor.Key.SequenceEqual(keys[at + removed]), "a deleting cursor");
            cursor.DeleteCurrent();
            _model.Remove(keys[at + removed]);
            IsTrue(!cursor.HasRow && cursor.MoveNext() == (at + removed + 1 < keys.Length), "a cursor behind its deletion");
        }

        bool before = watcher.HasRow ? true : watcher.MovePrevious();
        IsTrue(before == (at > 0), "a cursor whose row was deleted by another");
        IsTrue(!before || watcher.Key.SequenceEqual(keys[at - 1]), "the row before a deletion");
    }

    /// <summary>The key as a span of the tree's own row, where there is one: the next change may move what it lies in.</summary>
    private ReadOnlySpan<byte> OwnKey(Tree tree, byte[] key) =>
        _passesOwnSpans && tree.TryGetCeiling(key, out TreeEntry row) && row.Key.SequenceEqual(key) ? row.Key : key;

    /// <summary>A value of the tree, as a span of its own row.</summary>
    private ReadOnlySpan<byte> OwnValue(Tree tree, ref byte[] value)
    {
        byte[] key = AnyKey();
        if (!_passesOwnSpans || !_model.TryGetValue(key, out byte[]? there))
        {
            return value;
        }

        IsTrue(tree.TryGet(key, out ReadOnlySpan<byte> span), "a lookup of what is to be copied");
        value = there;
        return span;
    }
}

using System.Buffers;
using System.Collections.Immutable;
using System.IO.Pipelines;
using Voron.Simulation.Engine;
using Voron.Storage;
using Voron.Storage.Format;
using Voron.Storage.Structures;

namespace Voron.Simulation.Fuzz;

/// <summary>
/// Plays a shape on an engine and keeps the history of what it committed, apart from the engine. All follows from the seed.
/// </summary>
internal sealed class FuzzScript(FuzzShape shape, int pageBytes, ulong seed)
{
    private readonly SimRandom _random = new(seed);
    private readonly List<(ReadTransaction Reader, int Until)> _readers = [];
    private StorageEnvironment _environment = null!;
    private FuzzRows _rows = FuzzRows.Empty;

    internal FuzzHistory History { get; } = new();

    internal static StorageOptions OptionsOn(IDisk disk, int? pageBytes, FuzzShape? shape = null, bool readOnly = false) => new()
    {
        Engine = new()
        {
            Disk = disk, Background = false, PlacedValueBytes = 3 * (pageBytes ?? EngineSubject.PageBytes), JournalledBytes = 0,
            ValuePieceBytes = ValuePieceBytesOf(pageBytes ?? EngineSubject.PageBytes), FreedMarkers = 2,
            FragmentBytes = shape?.FragmentBytes,
        },
        PageSize = pageBytes, DisposeTimeout = TimeSpan.Zero, TimeProvider = FrozenTime.Instance, JournalSoftLimitBytes = 64 << 10,
        JournalHardLimitBytes = 1 << 30, MaxDirtyBytes = 8 << 20, ReadOnly = readOnly,
    };

    internal static int ValuePieceBytesOf(int pageBytes) => 2 * pageBytes;

    internal StorageEnvironment Open(IDisk disk)
    {
        _environment = StorageEnvironment.Open(FuzzSeedImage.Directory, OptionsOn(disk, pageBytes, shape));
        return _environment;
    }

    /// <summary>The transactions from one number to another one, with checkpoints and readers between them.</summary>
    internal void Play(int from, int to)
    {
        for (int i = from; i < to; i++)
        {
            EndReaders(before: i);
            PlayTransaction();
            if (Chance(shape.CheckpointOneIn))
            {
                if (Chance(shape.ReaderOneIn))
                {
                    _readers.Add((_environment.BeginRead(), i + shape.ReaderStays));
                }

                _environment.Checkpoint();
            }
        }
    }

    internal void EndReaders(int before = int.MaxValue)
    {
        foreach ((ReadTransaction reader, _) in _readers.Where(entry => entry.Until <= before))
        {
            reader.Dispose();
        }

        _readers.RemoveAll(entry => entry.Until <= before);
    }

    private void PlayTransaction()
    {
        using WriteTransaction write = _environment.BeginWrite();
        FuzzRows before = _rows;
        bool rollsBack = Chance(shape.RollbackOneIn);
        int count = _random.Between(1, shape.ChangesOfEach) * (Chance(shape.BigOneIn) ? 20 : 1);
        for (int i = 0; i < count; i++)
        {
            Change(write);
        }

        if (rollsBack && _random.OneIn(2))
        {
            // As a whole, or to a savepoint in the middle.
            _rows = before;
            return;
        }

        if (rollsBack)
        {
            FuzzRows kept = _rows;
            Savepoint savepoint = write.CreateSavepoint();
            for (int i = 0; i < count; i++)
            {
                Change(write);
            }

            write.RollbackTo(savepoint);
            _rows = kept;
        }

        if (Chance(shape.NameOneIn))
        {
            ChangeNames(write);
        }

        write.Commit(Chance(shape.LazyOneIn) ? CommitMode.Lazy : CommitMode.Durable);

        // One that changed nothing has no id.
        long id = _environment.Database.Parts.Versions.Visible.Value;
        if (id > History.LastTransaction)
        {
            History.Add(id, _rows);
        }
    }

    private void Change(WriteTransaction write)
    {
        string name = "tree " + _random.Below(shape.Trees);
        switch (shape.Kind)
        {
            case TreeKind.Multi:
                ChangePairs(write, name);
                return;
            case TreeKind.Fixed when shape.FixedKeyBytes == sizeof(long):
                ChangeEntries(write.OpenFixedTree<long>(name, shape.ValueBytes!.Value), name);
                return;
            case TreeKind.Fixed:
                ChangeEntries(write.OpenFixedTree<Guid>(name, shape.ValueBytes!.Value), name);
                return;
        }

        Tree tree = write.OpenTree(name);
        ImmutableSortedDictionary<byte[], byte[]> rows = _rows.Trees.GetValueOrDefault(name, FuzzRows.NoRows);
        byte[] key = Key();
        if (Chance(shape.RangeOneIn))
        {
            byte[] end = [.. key[..1], 0xFF];
            tree.DeleteRange(key, end);
            rows = rows.RemoveRange(rows.Keys.Where(other =>
                other.AsSpan().SequenceCompareTo(key) >= 0 && other.AsSpan().SequenceCompareTo(end) < 0));
        }
        else if (Chance(shape.DeleteOneIn))
        {
            tree.Delete(key);
            rows = rows.Remove(key);
        }
        else
        {
            byte[] value = Value();
            Put(tree, key, value);
            rows = rows.SetItem(key, value);
        }

        _rows = _rows with { Trees = _rows.Trees.SetItem(name, rows) };
    }

    private void ChangePairs(WriteTransaction write, string name)
    {
        MultiTree tree = write.OpenMultiTree(name, shape.ValueBytes);
        ImmutableSortedDictionary<byte[], byte[]> rows = _rows.Trees.GetValueOrDefault(name, FuzzRows.NoRows);
        byte[] key = Key();
        if (Chance(shape.RangeOneIn))
        {
            byte[] end = _random.OneIn(2) ? [.. key[..1], 0xFF] : [.. key, 0];
            _ = end.Length > key.Length ? tree.DeleteAll(key) : tree.DeleteRange(key, end);
            byte[] from = FuzzRows.PairOf(key, []);
            byte[] to = FuzzRows.PairOf(end, []);
            rows = rows.RemoveRange(rows.Keys.Where(pair =>
                pair.AsSpan().SequenceCompareTo(from) >= 0 && pair.AsSpan().SequenceCompareTo(to) < 0));
        }
        else if (Chance(shape.DeleteOneIn))
        {
            byte[] value = PairValue();
            tree.Delete(key, value);
            rows = rows.Remove(FuzzRows.PairOf(key, value));
        }
        else
        {
            byte[] value = PairValue();
            tree.Add(key, value);
            rows = rows.SetItem(FuzzRows.PairOf(key, value), []);
        }

        _rows = _rows with { Trees = _rows.Trees.SetItem(name, rows) };
    }

    private void ChangeEntries<TKey>(FixedTree<TKey> tree, string name)
        where TKey : unmanaged
    {
        ImmutableSortedDictionary<byte[], byte[]> rows = _rows.Trees.GetValueOrDefault(name, FuzzRows.NoRows);
        byte[] key = FixedKeyOf(_random.Below(shape.Keys));
        TKey number = FixedKey.Read<TKey>(key);
        if (Chance(shape.RangeOneIn))
        {
            byte[] end = FixedKeyOf(_random.Below(shape.Keys));
            tree.DeleteRange(number, FixedKey.Read<TKey>(end));
            rows = rows.RemoveRange(rows.Keys.Where(other =>
                other.AsSpan().SequenceCompareTo(key) >= 0 && other.AsSpan().SequenceCompareTo(end) < 0));
        }
        else if (Chance(shape.DeleteOneIn))
        {
            tree.Delete(number);
            rows = rows.Remove(key);
        }
        else
        {
            byte[] value = PairValue();
            tree.Put(number, value);
            rows = rows.SetItem(key, value);
        }

        _rows = _rows with { Trees = _rows.Trees.SetItem(name, rows) };
    }

    private void Put(Tree tree, byte[] key, byte[] value)
    {
        if (value.Length <= pageBytes || !Chance(shape.StreamOneIn))
        {
            tree.Put(key, value);
            return;
        }

        PipeWriter writer = tree.OpenValueWriter(key);
        writer.Write(value);
        writer.Complete();
    }

    private void ChangeNames(WriteTransaction write)
    {
        if (_rows.Trees.IsEmpty)
        {
            return;
        }

        string name = _rows.Trees.Keys.ElementAt(_random.Below(_rows.Trees.Count));
        ImmutableSortedDictionary<byte[], byte[]> rows = _rows.Trees[name];
        _rows = _rows with { Trees = _rows.Trees.Remove(name) };
        if (_random.OneIn(3))
        {
            write.DropTree(name);
            return;
        }

        string other = "other " + _random.Below(1000);
        if (_rows.Trees.ContainsKey(other))
        {
            other = name;
        }

        if (other != name)
        {
            write.RenameTree(name, other);
        }

        _rows = _rows with { Trees = _rows.Trees.SetItem(other, rows) };
    }

    private byte[] Key()
    {
        // The number decides all bytes, so that keys come again.
        int number = _random.Below(shape.Keys);
        SimRandom own = new(SimRandom.Mix(seed, (ulong)number + 1));
        byte[] key = new byte[own.Between(3, shape.LongestKeyBytes)];
        own.Fill(key);
        key[0] = (byte)('a' + (number % 16));
        key[1] = (byte)(number >> 8);
        key[2] = (byte)number;
        return key;
    }

    /// <summary>A key of a fixed-size tree in its ordered form.</summary>
    private byte[] FixedKeyOf(int number)
    {
        SimRandom own = new(SimRandom.Mix(seed, (ulong)number + 1));
        byte[] key = new byte[shape.FixedKeyBytes];
        own.Fill(key);
        return key;
    }

    private byte[] Value()
    {
        int bytes = Chance(shape.OverflowOneIn)
            ? _random.Between((pageBytes / 4) + 1, 5 * pageBytes)
            : _random.Below(shape.LongestValueBytes + 1);
        byte[] value = new byte[bytes];
        _random.Fill(value);
        return value;
    }

    private byte[] PairValue()
    {
        // As with keys: values come again.
        SimRandom own = new(SimRandom.Mix(~seed, (ulong)_random.Below(shape.Values)));
        byte[] value = new byte[shape.ValueBytes ?? own.Below(shape.LongestValueBytes + 1)];
        own.Fill(value);
        return value;
    }

    private bool Chance(int oneIn) => oneIn > 0 && _random.OneIn(oneIn);
}

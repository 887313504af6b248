using Voron.Storage.Format;

namespace Voron.Storage.Transactions;

/// <content>
/// Changes of entries and of trees as a whole. All of them are made in one frame, which notices two callers, stale handles and failures:
/// each call names the generation of its handle.
/// </content>
internal sealed partial class WriteSession
{
    internal int OpenTree(long generation, ReadOnlySpan<byte> name, bool create)
    {
        TreeName.Check(name);
        _caller.Enter(generation);
        try
        {
            int index = _open.Find(name);
            if (index >= 0)
            {
                return index;
            }

            if (Catalog.TryFind(Source, Snapshot, name, out TreeRecord record))
            {
                return _open.Add(name, record);
            }
        }
        finally
        {
            _caller.Leave();
        }

        if (!create)
        {
            return -1;
        }

        CheckUsable();
        return (int)Change(generation, TreeChange.CreateTree, -1, name);
    }

    /// <summary>Drops a tree with all its pages; false when there is none of that name.</summary>
    internal bool DropTree(long generation, ReadOnlySpan<byte> name)
    {
        CheckUsable();
        int index = OpenTree(generation, name, create: false);
        return index >= 0 && Change(generation, TreeChange.DropTree, index) != 0;
    }

    /// <summary>Gives a tree another name; false when there is none of the first, an error when there is one of the other.</summary>
    internal bool RenameTree(long generation, ReadOnlySpan<byte> name, ReadOnlySpan<byte> newName)
    {
        CheckUsable();
        TreeName.Check(newName);
        int index = OpenTree(generation, name, create: false);
        if (index < 0)
        {
            return false;
        }

        if (OpenTree(generation, newName, create: false) >= 0)
        {
            Throw.NameTaken(newName);
        }

        return Change(generation, TreeChange.RenameTree, index, name, newName) != 0;
    }

    /// <summary>A tree to look at, with every change made in it.</summary>
    internal ref OpenTree TreeAt(long generation, int index)
    {
        MakeNotedPuts(generation);
        return ref _open.Living(index);
    }

    /// <summary>Grows with every change of the tree; −1 when the transaction has ended.</summary>
    internal int VersionOf(int index) => index < _open.Count ? _open[index].Version : -1;

    /// <summary>Inserts or replaces.</summary>
    internal void Put(long generation, int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        CheckPut(index, key, value.Length);
        Change(generation, TreeChange.Put, index, key, value);
    }

    /// <summary>Inserts; false, and nothing changed, when the key exists.</summary>
    internal bool TryAdd(long generation, int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        CheckPut(index, key, value.Length);
        return Change(generation, TreeChange.TryAdd, index, key, value) != 0;
    }

    /// <summary>Inserts or replaces with a value of zeros that the caller writes before the next call.</summary>
    internal Span<byte> Reserve(long generation, int index, scoped ReadOnlySpan<byte> key, int valueBytes)
    {
        CheckPut(index, key, valueBytes);
        Change(generation, TreeChange.Reserve, index, key, valueBytes: valueBytes);
        return _changes.ReservedValue;
    }

    /// <summary>Inserts behind the last entry; an argument error, and nothing changed, when the key is not above it.</summary>
    internal void Append(long generation, int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        CheckPut(index, key, value.Length);
        if (Change(generation, TreeChange.Append, index, key, value) == 0)
        {
            Throw.NotAbove();
        }
    }

    internal bool Delete(long generation, int index, ReadOnlySpan<byte> key)
    {
        Limits.CheckKey(key);
        CheckUsable();
        _open.Living(index);
        return Change(generation, TreeChange.Delete, index, key) != 0;
    }

    internal long DeleteRange(long generation, int index, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to)
    {
        Limits.CheckKey(from);
        Limits.CheckKey(to);
        CheckUsable();
        _open.Living(index);
        return Change(generation, TreeChange.DeleteRange, index, from, to);
    }

    /// <summary>Refuses what cannot be put, before anything changes.</summary>
    internal void CheckPut(int index, ReadOnlySpan<byte> key, int valueBytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(valueBytes);
        Limits.CheckEntry(key, valueBytes);
        CheckUsable();
        _open.Living(index);
    }

    private void MakeNotedPuts(long generation)
    {
        if (_changes.NotedPuts > 0)
        {
            CheckUsable();
            Change(generation, TreeChange.MakeNotedPuts, -1);
        }
    }

    /// <summary>The frame of every change. Arguments were checked before: what fails here has perhaps changed something.</summary>
    private long Change(
        long generation, TreeChange change, int index, scoped ReadOnlySpan<byte> first = default,
        scoped ReadOnlySpan<byte> second = default, int valueBytes = 0)
    {
        _caller.Enter(generation);
        try
        {
            return _changes.Make(change, index, first, second, valueBytes);
        }
        catch (Exception error)
        {
            _poison = error;
            throw;
        }
        finally
        {
            _caller.Leave();
        }
    }
}

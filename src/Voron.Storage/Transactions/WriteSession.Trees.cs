using Voron.Storage.Format;

namespace Voron.Storage.Transactions;

/// <content>
/// Changes to entries and to whole trees. All of them run in one frame, which detects concurrent callers, stale handles and failures;
/// each call passes the generation of its handle.
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

    /// <summary>Drops a tree and frees all its pages; false if there is no tree of that name.</summary>
    internal bool DropTree(long generation, ReadOnlySpan<byte> name)
    {
        CheckUsable();
        int index = OpenTree(generation, name, create: false);
        return index >= 0 && Change(generation, TreeChange.DropTree, index) != 0;
    }

    /// <summary>Renames a tree; false if there is no tree of the old name, an error if there is one of the new name.</summary>
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

    /// <summary>Returns a tree for reading, with all deferred puts applied.</summary>
    internal ref OpenTree TreeAt(long generation, int index)
    {
        ApplyDeferred(generation);
        return ref _open.Living(index);
    }

    /// <summary>Incremented by every change of the tree; −1 when the transaction has ended.</summary>
    internal int VersionOf(int index) => index < _open.Count ? _open[index].Version : -1;

    /// <summary>Inserts or replaces an entry.</summary>
    internal void Put(long generation, int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        CheckPut(index, key, value.Length);
        Change(generation, TreeChange.Put, index, key, value);
    }

    /// <summary>Inserts an entry; returns false and changes nothing if the key exists.</summary>
    internal bool TryAdd(long generation, int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        CheckPut(index, key, value.Length);
        return Change(generation, TreeChange.TryAdd, index, key, value) != 0;
    }

    /// <summary>Inserts or replaces an entry with a zero-filled value, which the caller fills in before its next call.</summary>
    internal Span<byte> Reserve(long generation, int index, scoped ReadOnlySpan<byte> key, int valueBytes)
    {
        CheckPut(index, key, valueBytes);
        Change(generation, TreeChange.Reserve, index, key, valueBytes: valueBytes);
        return _changes.ReservedValue;
    }

    /// <summary>Inserts after the last entry; an argument error, with nothing changed, if the key is not above the last one.</summary>
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

    /// <summary>Checks the arguments of a put before anything changes.</summary>
    internal void CheckPut(int index, ReadOnlySpan<byte> key, int valueBytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(valueBytes);
        Limits.CheckEntry(key, valueBytes);
        CheckUsable();
        _open.Living(index);
    }

    private void ApplyDeferred(long generation)
    {
        if (_changes.NotedPuts > 0)
        {
            CheckUsable();
            Change(generation, TreeChange.ApplyDeferred, -1);
        }
    }

    /// <summary>Runs a change. Arguments were checked before, so a failure may have changed something and poisons the session.</summary>
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

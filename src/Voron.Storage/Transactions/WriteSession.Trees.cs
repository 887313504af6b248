namespace Voron.Storage.Transactions;

/// <content>Changes of more than one entry, entries in a certain place, and of a tree as a whole.</content>
internal sealed partial class WriteSession
{
    /// <summary>Inserts or replaces with a value of zeros that the caller writes before the next call.</summary>
    internal Span<byte> Reserve(int index, scoped ReadOnlySpan<byte> key, int valueBytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(valueBytes);
        CheckPut(index, key, valueBytes);
        _caller.Enter();
        try
        {
            return _changes.Reserve(index, key, valueBytes);
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

    /// <summary>Inserts behind the last entry; an argument error, and nothing changed, when the key is not above it.</summary>
    internal void Append(int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        CheckPut(index, key, value.Length);
        bool isAbove;
        _caller.Enter();
        try
        {
            isAbove = _changes.TryAppend(index, key, value);
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

        if (!isAbove)
        {
            Throw.NotAbove();
        }
    }

    internal long DeleteRange(int index, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to)
    {
        Limits.CheckKey(from);
        Limits.CheckKey(to);
        CheckUsable();
        _open.Living(index);
        _caller.Enter();
        try
        {
            return _changes.DeleteRange(index, from, to);
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

    /// <summary>Gives a tree another name; false when there is none of the first, an error when there is one of the other.</summary>
    internal bool RenameTree(ReadOnlySpan<byte> name, ReadOnlySpan<byte> newName)
    {
        CheckUsable();
        TreeName.Check(newName);
        int index = OpenTree(name, create: false);
        if (index < 0)
        {
            return false;
        }

        if (OpenTree(newName, create: false) >= 0)
        {
            Throw.NameTaken(newName);
        }

        _caller.Enter();
        try
        {
            _changes.RenameTree(index, name, newName);
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

        return true;
    }
}

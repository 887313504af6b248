using System.Text;
using Voron.Storage.Transactions;

namespace Voron.Storage.Engine;

/// <summary>
/// The new database that a salvage fills: entries come one by one and go in in transactions of bounded size. What is lost is noted here
/// as well.
/// </summary>
internal sealed class SalvageTarget(Database database) : IDisposable
{
    private const long BytesPerTransaction = 4 << 20;
    private const int MostLosses = 1000;

    private readonly List<SalvageLoss> _losses = [];
    private readonly HashSet<string> _trees = [];
    private WriteLease? _lease;
    private WriteSession? _session;

    /// <summary>Of the present transaction: a commit that failed may have ended it.</summary>
    private long _generation;
    private long _bytes;

    /// <summary>Entries of the new database, once it is finished.</summary>
    internal long Entries { get; private set; }

    internal IReadOnlyList<SalvageLoss> Losses => _losses;

    internal int Trees => _trees.Count;

    internal void Lose(string? tree, long page, string message)
    {
        if (_losses.Count < MostLosses)
        {
            _losses.Add(new SalvageLoss(tree, page, message));
        }
    }

    internal void Create(ReadOnlySpan<byte> tree) => Open(tree);

    internal void Put(ReadOnlySpan<byte> tree, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, bool onlyIfAbsent = false)
    {
        int index = Open(tree);
        if (onlyIfAbsent)
        {
            _session!.TryAdd(index, key, value);
        }
        else
        {
            _session!.Put(index, key, value);
        }

        Changed(key.Length + value.Length);
    }

    internal void Delete(ReadOnlySpan<byte> tree, ReadOnlySpan<byte> key)
    {
        int index = Open(tree);
        _session!.Delete(index, key);
        Changed(key.Length);
    }

    internal void Drop(ReadOnlySpan<byte> tree)
    {
        Open(tree);
        _session!.DropTree(tree);
        _trees.Remove(Encoding.UTF8.GetString(tree));
        Changed(tree.Length);
    }

    internal void DeleteRange(ReadOnlySpan<byte> tree, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to)
    {
        int index = Open(tree);
        _session!.DeleteRange(index, from, to);
        Changed(from.Length + to.Length);
    }

    /// <summary>A tree of the new name is in the way only when something before was lost; the renamed one is the newer.</summary>
    internal void Rename(ReadOnlySpan<byte> tree, ReadOnlySpan<byte> name)
    {
        Open(tree);
        Drop(name);
        Begin();
        _session!.RenameTree(tree, name);
        _trees.Remove(Encoding.UTF8.GetString(tree));
        _trees.Add(Encoding.UTF8.GetString(name));
        Changed(tree.Length);
    }

    internal void Finish()
    {
        foreach (string tree in _trees.ToArray())
        {
            int index = Open(Encoding.UTF8.GetBytes(tree));
            Entries += _session!.TreeAt(index).Count;
        }

        Commit();
    }

    public void Dispose()
    {
        _session?.Rollback(_lease!, _generation);
        database.Dispose();
    }

    private void Commit()
    {
        _session?.Commit(_lease!, _generation, CommitMode.Buffered);
        _session = null;
    }

    private void Begin()
    {
        if (_session is null)
        {
            _lease = database.BeginWrite(Timeout.InfiniteTimeSpan)!;
            _session = _lease.Session;
            _generation = _session.Generation;
        }
    }

    private int Open(ReadOnlySpan<byte> tree)
    {
        Begin();
        _trees.Add(Encoding.UTF8.GetString(tree));
        return _session!.OpenTree(tree, create: true);
    }

    private void Changed(long bytes)
    {
        _bytes += bytes;
        if (_bytes >= BytesPerTransaction)
        {
            Commit();
            _bytes = 0;
        }
    }
}

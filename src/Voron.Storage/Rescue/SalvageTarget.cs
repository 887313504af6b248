using System.Runtime.InteropServices;
using System.Text;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Transactions;
using Voron.Storage.Trees;
using Voron.Storage.Versions;

namespace Voron.Storage.Rescue;

/// <summary>The new database that a salvage fills, entry by entry, in transactions of bounded size. Also records what is lost.</summary>
internal sealed class SalvageTarget(Database database, IProgress<SalvageProgress>? progress = null) : IDisposable
{
    private const long BytesPerTransaction = 4 << 20;
    private const int MostLosses = 1000;

    private readonly List<SalvageLoss> _losses = [];

    /// <summary>Names with one char for each byte: they need not be text.</summary>
    private readonly HashSet<string> _trees = [];
    private WriteHandle? _lease;
    private WriteSession? _session;

    /// <summary>State of the current transaction: a commit that failed may have ended it.</summary>
    private long _generation;
    private long _bytes;
    private long _allBytes;
    private long _changes;

    /// <summary>Number of entries of the new database, once it is finished.</summary>
    internal long Entries { get; private set; }

    internal IReadOnlyList<SalvageLoss> Losses => _losses;

    internal int Trees => _trees.Count;

    /// <summary>Notes a loss that is not of one page.</summary>
    internal void Lose(string? tree, string message) => Lose(tree, PageNumber.None, message);

    internal void Lose(string? tree, PageNumber page, string message)
    {
        if (_losses.Count < MostLosses)
        {
            _losses.Add(new SalvageLoss(tree, page.Value, message));
        }
    }

    internal bool HasTree(ReadOnlySpan<byte> tree) => _trees.Contains(Encoding.Latin1.GetString(tree));

    /// <summary>Creates a tree; one of this name and another shape was dropped before, and that was lost.</summary>
    internal void Create(ReadOnlySpan<byte> tree, TreeShape shape)
    {
        Begin();
        int index = _session!.Trees.Find(_generation, tree);
        if (index >= 0 && _session.Trees.ShapeOf(index) != shape)
        {
            Drop(tree);
            Begin();
        }

        _session.Trees.Open(_generation, tree, shape, create: true);
        _trees.Add(Encoding.Latin1.GetString(tree));
    }

    /// <summary>Adds a pair to a multi-value tree that was created.</summary>
    internal void AddPair(ReadOnlySpan<byte> tree, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        int index = Open(tree);
        _session!.Trees.Multi.Add(_generation, index, key, value);
        Changed(key.Length + value.Length);
    }

    /// <summary>Adds an entry to a fixed-size tree that was created, unless the key is there.</summary>
    internal void AddFixed(ReadOnlySpan<byte> tree, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        int index = Open(tree);
        _session!.Trees.Fixed.Add(_generation, index, key, value);
        Changed(key.Length + value.Length);
    }

    /// <summary>Applies an operation to a tree of blocks; false if the tree is an ordered one, or the operation not for its kind.</summary>
    internal bool TryApplyToBlocks(ReadOnlySpan<byte> tree, in RedoReader redo)
    {
        int index = Open(tree);
        bool isApplied = _session!.Trees.TryApply(_generation, index, redo);
        Changed(isApplied ? redo.Key.Length + redo.Value.Length : 0);
        return isApplied;
    }

    internal void Put(ReadOnlySpan<byte> tree, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, bool onlyIfAbsent = false)
    {
        int index = Open(tree);
        if (onlyIfAbsent)
        {
            _session!.Trees.TryAdd(_generation, index, key, value);
        }
        else
        {
            _session!.Trees.Put(_generation, index, key, value);
        }

        Changed(key.Length + value.Length);
    }

    /// <summary>Copies a value in pieces, one after the other.</summary>
    internal void PutPieces(
        ReadOnlySpan<byte> tree,
        ReadOnlySpan<byte> key,
        ReadOnlySpan<OverflowReference> pieces,
        PageSource source,
        TransactionId snapshot,
        bool onlyIfAbsent = false)
    {
        int index = Open(tree);
        PageNumber root = _session!.Trees.At(_generation, index).Root;
        if (onlyIfAbsent && TreeReader.Contains(_session.Source, _session.Snapshot, root, key))
        {
            return;
        }

        List<PlacedRun> copies = [];
        long bytes = key.Length;
        foreach (OverflowReference piece in pieces)
        {
            using PageBuffers.Hold held = source.Hold();
            if (!TryRead(piece, source, snapshot, out ReadOnlySpan<byte> content))
            {
                // It was readable before: the device is failing now.
                _session.Values.FreePieces(_generation, CollectionsMarshal.AsSpan(copies));
                LoseValue(tree, key, piece.FirstPage, "can be read no more");
                return;
            }

            copies.Add(_session.Values.WritePiece(_generation, content));
            bytes += piece.ValueBytes;
        }

        _session.Values.PutPieces(_generation, index, key, CollectionsMarshal.AsSpan(copies));
        Changed(bytes);
    }

    /// <summary>
    /// Copies a value that a journal record names in the data file. If it is not there any more, a later record has freed it or it is
    /// lost; the old value of the key is not its value in either case.
    /// </summary>
    internal void PutPlaced(ReadOnlySpan<byte> tree, ReadOnlySpan<byte> key, ReadOnlySpan<PlacedRun> runs, PageSource source)
    {
        OverflowReference[] pieces = new OverflowReference[runs.Length];
        for (int i = 0; i < runs.Length; i++)
        {
            using PageBuffers.Hold held = source.Hold();
            pieces[i] = runs[i].Reference;
            long count = OverflowReference.PagesOf(runs[i].ValueBytes, source.PageBytes);
            if (source.Mapped.ChecksumOfRun(runs[i].FirstPage, count) != runs[i].Checksum
                || !TryRead(pieces[i], source, TransactionId.None, out _))
            {
                Delete(tree, key);
                string name = Encoding.UTF8.GetString(tree);
                PageNumber page = runs[i].FirstPage;
                string what = $"A value of {runs[i].ValueBytes} bytes that the commit journal names in page {page} is not there: "
                    + $"its key {Convert.ToHexString(key)} of tree '{name}' is lost unless a later change of it follows.";
                Lose(name, page, what);
                return;
            }
        }

        PutPieces(tree, key, pieces, source, TransactionId.None);
    }

    internal void Delete(ReadOnlySpan<byte> tree, ReadOnlySpan<byte> key)
    {
        int index = Open(tree);
        _session!.Trees.Delete(_generation, index, key);
        Changed(key.Length);
    }

    internal void Drop(ReadOnlySpan<byte> tree)
    {
        Open(tree);
        _session!.Trees.Drop(_generation, tree);
        _trees.Remove(Encoding.Latin1.GetString(tree));
        Changed(tree.Length);
    }

    internal void DeleteRange(ReadOnlySpan<byte> tree, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to)
    {
        int index = Open(tree);
        _session!.Trees.DeleteRange(_generation, index, from, to);
        Changed(from.Length + to.Length);
    }

    /// <summary>Renames a tree. A tree of the new name exists only if something before was lost; the renamed one is newer.</summary>
    internal void Rename(ReadOnlySpan<byte> tree, ReadOnlySpan<byte> name)
    {
        Open(tree);
        Drop(name);
        Begin();
        _session!.Trees.Rename(_generation, tree, name);
        _trees.Remove(Encoding.Latin1.GetString(tree));
        _trees.Add(Encoding.Latin1.GetString(name));
        Changed(tree.Length);
    }

    internal void Finish()
    {
        foreach (string tree in _trees.ToArray())
        {
            int index = Open(Encoding.Latin1.GetBytes(tree));
            Entries += _session!.Trees.At(_generation, index).Count;
        }

        Commit();
    }

    public void Dispose()
    {
        _session?.Rollback(_lease!, _generation);
        database.Dispose();
    }

    private static bool TryRead(OverflowReference run, PageSource source, TransactionId snapshot, out ReadOnlySpan<byte> content)
    {
        try
        {
            content = source.ReadOverflow(run, snapshot);
            return content.Length == run.ValueBytes;
        }
        catch (StorageException error) when (error.IsOfDamage)
        {
            content = default;
            return false;
        }
    }

    private void LoseValue(ReadOnlySpan<byte> tree, ReadOnlySpan<byte> key, PageNumber page, string what)
    {
        string name = Encoding.UTF8.GetString(tree);
        Lose(name, page, $"A value in page {page} {what}: its key {Convert.ToHexString(key)} of tree '{name}' is lost.");
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
        int index = _session!.Trees.Find(_generation, tree);
        index = index >= 0 ? index : _session.Trees.Open(_generation, tree, create: true);
        _trees.Add(Encoding.Latin1.GetString(tree));
        return index;
    }

    private void Changed(long bytes)
    {
        _bytes += bytes;
        _allBytes += bytes;
        _changes++;
        if (_bytes >= BytesPerTransaction)
        {
            Commit();
            _bytes = 0;
            progress?.Report(new SalvageProgress(_changes, _allBytes));
        }
    }
}

using System.Buffers;
using System.IO.Pipelines;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Structures;
using Voron.Storage.Transactions;
using Voron.Storage.Trees;

namespace Voron.Storage.Transfer;

/// <summary>
/// The write transactions of a load, one or a batch each, and the tree that the entries go to. A key above all others of its tree is
/// appended, which fills pages; others are put, and pairs are added. What is not committed when it is disposed is rolled back.
/// </summary>
internal sealed class LoadTarget(Database database, LoadOptions options, CancellationToken cancellation) : IDisposable
{
    private readonly byte[] _lastKey = new byte[database.Limits.MaxKeyBytes];
    private int _lastKeyBytes;

    private WriteHandle? _lease;
    private WriteSession? _session;
    private long _generation;
    private byte[]? _tree;
    private TreeShape _shape;
    private int _index;
    private long _inBatch;
    private bool _isChanged;

    /// <summary>The value that is being written in pieces; null also if it is passed over.</summary>
    private ValueWriter? _pieces;

    /// <summary>The last transaction that stored anything; 0 if none did.</summary>
    internal TransactionId LastStored { get; private set; }

    internal long Entries { get; private set; }

    /// <summary>Entries whose keys existed and kept their values, and pairs that existed.</summary>
    internal long Skipped { get; private set; }

    /// <summary>Entries in committed transactions.</summary>
    internal long Committed { get; private set; }

    internal bool IsBatchFull => options.EntriesPerTransaction > 0 && _inBatch >= options.EntriesPerTransaction;

    internal int MaxKeyBytes => _lastKey.Length;

    internal async ValueTask BeginAsync()
    {
        _lease = await database.BeginWriteAsync(Timeout.InfiniteTimeSpan, cancellation).ConfigureAwait(false);
        _session = _lease!.Session;
        _generation = _session.Generation;
        _inBatch = 0;
        _isChanged = false;
        if (_tree is not null)
        {
            Open(_tree, _shape);
        }
    }

    internal async ValueTask CommitAsync()
    {
        cancellation.ThrowIfCancellationRequested();
        TransactionId id = _session!.Snapshot;
        ValueTask commit = _session.CommitAsync(_lease!, _generation, CommitMode.Durable);
        _session = null;
        await commit.ConfigureAwait(false);
        LastStored = _isChanged ? id : LastStored;
        Committed = Entries;
    }

    /// <summary>Opens the tree that the next entries go to, creating it if it is missing.</summary>
    internal void OpenTree(byte[] name) => Open(name, TreeShape.Ordered);

    /// <summary>Opens the multi-value tree that the next pairs go to; one that exists keeps the length of its values.</summary>
    internal void OpenMultiTree(byte[] name, ushort valueBytes)
    {
        int index = _session!.Trees.FindMulti(_generation, name);
        Open(name, index < 0 ? new TreeShape(TreeKind.Multi, valueBytes) : _session.Trees.ShapeOf(index));
    }

    /// <summary>Opens the fixed-size tree that the next entries go to.</summary>
    internal void OpenFixedTree(byte[] name, TreeShape shape) => Open(name, shape);

    private void Open(byte[] name, TreeShape shape)
    {
        _tree = name;
        _shape = shape;
        _index = _session!.Trees.Open(_generation, name, shape, create: false);
        if (_index < 0)
        {
            _index = _session.Trees.Open(_generation, name, shape, create: true);
            _isChanged = true;
        }

        if (!shape.IsOrdered)
        {
            return;
        }

        byte[] buffer = TreeCursor.RentBuffer(_session.Source);
        RowCursor cursor = new(
            _session.Source, _session.Snapshot, _session.Trees.At(_generation, _index).Root, buffer, remembersKey: false);
        _lastKeyBytes = -1;
        if (cursor.MoveLast())
        {
            RememberLast(cursor.Key);
        }

        cursor.Dispose();
        ArrayPool<byte>.Shared.Return(buffer);
    }

    internal void Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, long line)
    {
        Count();
        if (IsAboveLast(key))
        {
            _session!.Trees.Append(_generation, _index, key, value);
            RememberLast(key);
        }
        else if (options.Append)
        {
            Throw.NotAscending(line, key);
        }
        else if (!options.NoOverwrite)
        {
            _session!.Trees.Put(_generation, _index, key, value);
        }
        else if (!_session!.Trees.TryAdd(_generation, _index, key, value))
        {
            Skipped++;
            return;
        }

        _isChanged = true;
    }

    /// <summary>Adds a pair; one that exists is skipped.</summary>
    internal void Add(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, long line)
    {
        Count();
        if (_shape.ValueBytes != TreeShape.AnyLength && value.Length != _shape.ValueBytes)
        {
            Throw.BadLine(line, $"the value of this key has {value.Length} bytes, and the tree has values of {_shape.ValueBytes} bytes.");
        }

        if (MultiKey.LengthOf(key) + value.Length > MaxKeyBytes)
        {
            Throw.PairTooLong(line, key.Length, value.Length, MaxKeyBytes);
        }

        bool isAdded = options.Append
            ? _session!.Trees.Multi.TryAppend(_generation, _index, key, value)
            : _session!.Trees.Multi.Add(_generation, _index, key, value);
        if (!isAdded && options.Append)
        {
            Throw.NotAscending(line, key);
        }

        Skipped += isAdded ? 0 : 1;
        _isChanged |= isAdded;
    }

    /// <summary>Puts an entry of a fixed-size tree, whose key has the form in which its bytes are in order.</summary>
    internal void PutFixed(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, long line)
    {
        Count();
        if (key.Length != _shape.KeyBytes || !FixedKey.IsNormal(_shape.KeyKind, key) || value.Length != _shape.ValueBytes)
        {
            Throw.BadLine(line, $"a key of {key.Length} bytes with a value of {value.Length} does not fit into {_shape}.");
        }

        SessionFixedTrees trees = _session!.Trees.Fixed;
        if (!trees.TryAppend(_generation, _index, key, value))
        {
            if (options.Append)
            {
                Throw.NotAscending(line, key);
            }

            if (!options.NoOverwrite)
            {
                trees.Put(_generation, _index, key, value);
            }
            else if (!trees.Add(_generation, _index, key, value))
            {
                Skipped++;
                return;
            }
        }

        _isChanged = true;
    }

    /// <summary>Begins a value that is written in pieces, or passed over if its key keeps the one that it has.</summary>
    internal void BeginPieces(ReadOnlySpan<byte> key, long line)
    {
        Count();
        bool isAbove = IsAboveLast(key);
        if (!isAbove && options.Append)
        {
            Throw.NotAscending(line, key);
        }

        if (!isAbove && options.NoOverwrite && Exists(key))
        {
            Skipped++;
            return;
        }

        _pieces = new ValueWriter(_session!, _generation, _index, key);
        if (isAbove)
        {
            RememberLast(key);
        }

        _isChanged = true;
    }

    internal void WritePiece(ReadOnlySpan<byte> bytes)
    {
        if (_pieces is not null)
        {
            _pieces.Write(bytes);

            // It writes to the data file in the call, and has completed when it returns.
            _pieces.FlushAsync(cancellation).AsTask().GetAwaiter().GetResult();
        }
    }

    internal void EndPieces()
    {
        _pieces?.Complete();
        _pieces = null;
    }

    /// <summary>Notes an entry that is not stored, because it is not one of the user's.</summary>
    internal void PassOver() => Count();

    /// <summary>Takes an entry of another tree away that this load has put.</summary>
    internal void Delete(byte[] tree, ReadOnlySpan<byte> key) => _isChanged |=
        _session!.Trees.Delete(_generation, _session.Trees.Open(_generation, tree, create: true), key);

    public void Dispose()
    {
        if (_pieces is not null)
        {
            _pieces.Complete(new OperationCanceledException(cancellation));
        }

        _session?.Rollback(_lease!, _generation);
    }

    private void Count()
    {
        Entries++;
        _inBatch++;
    }

    private bool Exists(ReadOnlySpan<byte> key) => TreeReader.Contains(
        _session!.Source, _session.Snapshot, _session.Trees.At(_generation, _index).Root, key);

    private bool IsAboveLast(ReadOnlySpan<byte> key) =>
        _lastKeyBytes < 0 || key.SequenceCompareTo(_lastKey.AsSpan(0, _lastKeyBytes)) > 0;

    private void RememberLast(ReadOnlySpan<byte> key)
    {
        key.CopyTo(_lastKey);
        _lastKeyBytes = key.Length;
    }
}

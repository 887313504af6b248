using System.Buffers;
using System.Runtime.InteropServices;
using Voron.Storage.Structures;
using Voron.Storage.Transactions;
using Voron.Storage.Trees;

namespace Voron.Storage;

/// <summary>A range of a fixed-size tree in blocks, enumerated with foreach in order.</summary>
public readonly ref struct FixedBlocks<TKey>
    where TKey : unmanaged
{
    private readonly ReadFixedTree<TKey> _tree;
    private readonly TKey _low;
    private readonly TKey _high;
    private readonly RangeEnds _ends;

    internal FixedBlocks(ReadFixedTree<TKey> tree, TKey low, TKey high, RangeEnds ends)
    {
        _tree = tree;
        _low = FixedKey.Normal(low);
        _high = FixedKey.Normal(high);
        _ends = ends;
    }

    /// <summary>Begins the enumeration.</summary>
    public Enumerator GetEnumerator() => new(_tree, _low, _high, _ends);

    /// <summary>Enumerates blocks; created by foreach. Allocates nothing.</summary>
    public ref struct Enumerator : IDisposable
    {
        private readonly ReadFixedTree<TKey> _tree;
        private readonly int _version;
        private readonly TKey _low;
        private readonly TKey _high;
        private readonly RangeEnds _ends;
        private FixedWalk _walk;
        private byte[]? _buffer;
        private bool _isStarted;
        private bool _isAtEnd;
        private int _end;

        internal Enumerator(ReadFixedTree<TKey> tree, TKey low, TKey high, RangeEnds ends)
        {
            _tree = tree;
            _version = tree.Version;
            _low = low;
            _high = high;
            _ends = ends;
            _buffer = FixedWalk.Rent(tree.LiveScope().Source);
            _walk = tree.Walk(_buffer);
        }

        /// <summary>The current block: those of its entries that are in the range.</summary>
        public readonly FixedBlock<TKey> Current
        {
            get
            {
                FixedColumns block = _walk.Block;
                int from = _walk.Index;
                int keyBytes = _tree.Shape.KeyBytes;
                int valueBytes = _tree.Shape.ValueBytes;
                return new FixedBlock<TKey>(
                    block.Keys[(from * keyBytes)..(_end * keyBytes)], block.Values[(from * valueBytes)..(_end * valueBytes)], valueBytes);
            }
        }

        /// <summary>Moves to the next block; returns false at the end.</summary>
        /// <exception cref="InvalidOperationException">The tree was changed since the enumeration began.</exception>
        public bool MoveNext()
        {
            _tree.Scope();
            if (_tree.Version != _version)
            {
                Transactions.Throw.TreeChanged();
            }

            if (_isAtEnd || !(_isStarted ? _walk.MoveNextBlock() : Start()))
            {
                _isAtEnd = true;
                return false;
            }

            _end = _walk.Block.Count;
            if ((_ends & RangeEnds.To) != 0)
            {
                ReadOnlySpan<TKey> keys = MemoryMarshal.Cast<byte, TKey>(_walk.Block.Keys);
                if (!FixedKey.IsBelow(keys[_end - 1], _high))
                {
                    _end = FixedKey.Find(keys, _high, out _);
                    _isAtEnd = true;
                }
            }

            return _end > _walk.Index;
        }

        /// <summary>Ends the enumeration.</summary>
        public void Dispose()
        {
            if (_buffer is not null)
            {
                ArrayPool<byte>.Shared.Return(_buffer);
                _buffer = null;
            }
        }

        private bool Start()
        {
            _isStarted = true;
            Span<byte> key = stackalloc byte[FixedKey.MostBytes];
            return (_ends & RangeEnds.From) == 0 ? _walk.MoveFirst() : _walk.Seek(key[..FixedKey.Write(_low, key)]);
        }
    }
}

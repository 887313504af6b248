using System.Buffers;
using System.Runtime.CompilerServices;
using Voron.Storage.Structures;
using Voron.Storage.Transactions;
using Voron.Storage.Trees;

namespace Voron.Storage;

/// <summary>A range of entries of a fixed-size tree, enumerated with foreach.</summary>
public readonly ref struct FixedRange<TKey>
    where TKey : unmanaged
{
    private readonly ReadFixedTree<TKey> _tree;
    private readonly TKey _low;
    private readonly TKey _high;
    private readonly RangeEnds _ends;
    private readonly bool _reversed;

    internal FixedRange(ReadFixedTree<TKey> tree, TKey low, TKey high, RangeEnds ends, bool reversed)
    {
        _tree = tree;
        _low = FixedKey.Normal(low);
        _high = FixedKey.Normal(high);
        _ends = ends;
        _reversed = reversed;
    }

    /// <summary>Returns the same entries in the opposite order.</summary>
    public FixedRange<TKey> Reverse() => new(_tree, _low, _high, _ends, !_reversed);

    /// <summary>Begins the enumeration.</summary>
    public Enumerator GetEnumerator() => new(_tree, _low, _high, _ends, _reversed);

    /// <summary>Enumerates entries; created by foreach. Allocates nothing.</summary>
    public ref struct Enumerator : IDisposable
    {
        private readonly ReadFixedTree<TKey> _tree;
        private readonly int _version;
        private readonly TKey _low;
        private readonly TKey _high;
        private readonly RangeEnds _ends;
        private readonly bool _reversed;
        private FixedWalk _walk;
        private byte[]? _buffer;
        private State _state;

        internal Enumerator(ReadFixedTree<TKey> tree, TKey low, TKey high, RangeEnds ends, bool reversed)
        {
            _tree = tree;
            _version = tree.Version;
            _low = low;
            _high = high;
            _ends = ends;
            _reversed = reversed;
            _buffer = FixedWalk.Rent(tree.LiveScope().Source);
            _walk = tree.Walk(_buffer);
        }

        private enum State
        {
            Unset,
            OnEntry,
            AtEnd,
        }

        /// <summary>The current entry.</summary>
        public readonly FixedEntry<TKey> Current => new(_walk.Key<TKey>(), _walk.Value);

        /// <summary>Moves to the next entry; returns false at the end.</summary>
        /// <exception cref="InvalidOperationException">The tree was changed since the enumeration began.</exception>
        public bool MoveNext()
        {
            _tree.Scope();
            if (_tree.Version != _version)
            {
                Transactions.Throw.TreeChanged();
            }

            bool isThere = _state switch
            {
                State.Unset => _reversed ? StartAtLast() : StartAtFirst(),
                State.OnEntry => _reversed ? _walk.MovePrevious() : _walk.MoveNext(),
                _ => false,
            };
            bool isInside = isThere && IsInside(_walk.Key<TKey>());
            _state = isInside ? State.OnEntry : State.AtEnd;
            return isInside;
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

        private bool StartAtFirst()
        {
            Span<byte> key = stackalloc byte[FixedKey.MostBytes];
            if ((_ends & RangeEnds.From) == 0)
            {
                return _walk.MoveFirst();
            }

            bool isThere = _walk.Seek(key[..FixedKey.Write(_low, key)]);
            bool isLow = isThere && (_ends & RangeEnds.FromOpen) != 0 && !FixedKey.IsBelow(_low, _walk.Key<TKey>());
            return isLow ? _walk.MoveNext() : isThere;
        }

        private bool StartAtLast()
        {
            Span<byte> key = stackalloc byte[FixedKey.MostBytes];
            if ((_ends & RangeEnds.To) == 0)
            {
                return _walk.MoveLast();
            }

            ReadOnlySpan<byte> high = key[..FixedKey.Write(_high, key)];
            return (_ends & RangeEnds.ToClosed) != 0 ? _walk.SeekFloor(high) : _walk.SeekBelow(high);
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        private readonly bool IsInside(TKey key) => _reversed
            ? (_ends & RangeEnds.From) == 0
                || ((_ends & RangeEnds.FromOpen) == 0 ? !FixedKey.IsBelow(key, _low) : FixedKey.IsBelow(_low, key))
            : (_ends & RangeEnds.To) == 0
                || ((_ends & RangeEnds.ToClosed) == 0 ? FixedKey.IsBelow(key, _high) : !FixedKey.IsBelow(_high, key));
    }
}

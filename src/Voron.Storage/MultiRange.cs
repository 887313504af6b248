using System.Buffers;
using Voron.Storage.Structures;
using Voron.Storage.Transactions;

namespace Voron.Storage;

/// <summary>A range of pairs of a multi-value tree, enumerated with foreach.</summary>
public readonly ref struct MultiRange
{
    private readonly ReadMultiTree _tree;
    private readonly ReadOnlySpan<byte> _low;
    private readonly ReadOnlySpan<byte> _high;
    private readonly MultiEnds _ends;
    private readonly bool _reversed;

    internal MultiRange(ReadMultiTree tree, ReadOnlySpan<byte> low, ReadOnlySpan<byte> high, MultiEnds ends, bool reversed)
    {
        _tree = tree;
        _low = low;
        _high = high;
        _ends = ends;
        _reversed = reversed;
    }

    /// <summary>Returns the same pairs in the opposite order.</summary>
    public MultiRange Reverse() => new(_tree, _low, _high, _ends, !_reversed);

    /// <summary>Begins the enumeration.</summary>
    public Enumerator GetEnumerator() => new(_tree, _low, _high, _ends, _reversed);

    /// <summary>Enumerates pairs; created by foreach. Allocates nothing.</summary>
    public ref struct Enumerator : IDisposable
    {
        private readonly ReadMultiTree _tree;
        private readonly int _version;
        private readonly MultiBounds _bounds;
        private readonly bool _reversed;
        private MultiPosition _position;
        private byte[]? _buffer;

        internal Enumerator(
            ReadMultiTree tree, scoped ReadOnlySpan<byte> low, scoped ReadOnlySpan<byte> high, MultiEnds ends, bool reversed)
        {
            SnapshotScope scope = tree.LiveScope();
            _tree = tree;
            _version = tree.Version;
            _reversed = reversed;
            int positionBytes = MultiPosition.BufferBytes(scope.Source.PageBytes);
            int boundBytes = 2 * MultiPosition.BoundBytes(scope.Source.PageBytes);
            _buffer = ArrayPool<byte>.Shared.Rent(positionBytes + boundBytes);
            _bounds = new MultiBounds(low, high, ends, _buffer.AsSpan(positionBytes, boundBytes));
            _position = tree.Walk(_buffer, remembers: false);
        }

        /// <summary>The current pair.</summary>
        public readonly MultiEntry Current => new(_position.Key, _position.Value);

        /// <summary>Moves to the next pair; returns false at the end.</summary>
        /// <exception cref="InvalidOperationException">The tree was changed since the enumeration began.</exception>
        public bool MoveNext()
        {
            _tree.Scope();
            if (_tree.Version != _version)
            {
                Transactions.Throw.TreeChanged();
            }

            if (_position.State == MultiState.Unset)
            {
                bool isThere = _reversed
                    ? _bounds.High.IsEmpty ? _position.MoveLast() : _position.SeekBelow(_bounds.High)
                    : _bounds.Low.IsEmpty ? _position.MoveFirst() : _position.SeekEntry(_bounds.Low);
                return isThere && IsInside();
            }

            // All pairs of an entry have one key, so only its first pair can be outside.
            return _reversed
                ? _position.MovePrevious() && (!_position.IsLastOfEntry || IsInside())
                : _position.MoveNext() && (!_position.IsFirstOfEntry || IsInside());
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

        private readonly bool IsInside() => _reversed
            ? _bounds.Low.IsEmpty || _position.KeyWithEnd.SequenceCompareTo(_bounds.Low) >= 0
            : _bounds.High.IsEmpty || _position.KeyWithEnd.SequenceCompareTo(_bounds.High) < 0;
    }
}

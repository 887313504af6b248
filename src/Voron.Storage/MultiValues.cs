using System.Buffers;
using Voron.Storage.Structures;

namespace Voron.Storage;

/// <summary>The values of one key, or a range of them, enumerated with foreach in order.</summary>
public readonly ref struct MultiValues
{
    private readonly ReadMultiTree _tree;
    private readonly ReadOnlySpan<byte> _key;
    private readonly ReadOnlySpan<byte> _low;
    private readonly bool _isAfter;
    private readonly bool _reversed;

    internal MultiValues(
        ReadMultiTree tree, ReadOnlySpan<byte> key, ReadOnlySpan<byte> low = default, bool isAfter = false, bool reversed = false)
    {
        _tree = tree;
        _key = key;
        _low = low;
        _isAfter = isAfter;
        _reversed = reversed;
    }

    /// <summary>Returns the values ≥ <paramref name="value"/>, which must stay unchanged meanwhile.</summary>
    public MultiValues From(ReadOnlySpan<byte> value) => new(_tree, _key, value, isAfter: false, _reversed);

    /// <summary>Returns the values &gt; <paramref name="value"/>, which must stay unchanged meanwhile.</summary>
    public MultiValues After(ReadOnlySpan<byte> value) => new(_tree, _key, value, isAfter: true, _reversed);

    /// <summary>Returns the same values in the opposite order.</summary>
    public MultiValues Reverse() => new(_tree, _key, _low, _isAfter, !_reversed);

    /// <summary>Begins the enumeration.</summary>
    public Enumerator GetEnumerator() => new(_tree, _key, _low, _isAfter, _reversed);

    /// <summary>Enumerates values; created by foreach. Allocates nothing.</summary>
    public ref struct Enumerator : IDisposable
    {
        private readonly ReadMultiTree _tree;
        private readonly int _version;
        private readonly ReadOnlySpan<byte> _key;
        private readonly ReadOnlySpan<byte> _low;
        private readonly bool _isAfter;
        private readonly bool _reversed;
        private MultiPosition _position;
        private byte[]? _buffer;

        internal Enumerator(ReadMultiTree tree, ReadOnlySpan<byte> key, ReadOnlySpan<byte> low, bool isAfter, bool reversed)
        {
            _tree = tree;
            _version = tree.Version;
            _key = key;
            _low = low;
            _isAfter = isAfter;
            _reversed = reversed;
            _buffer = MultiReader.Rent(tree.LiveScope().Source);
            _position = tree.Walk(_buffer, remembers: false);
        }

        /// <summary>The current value, valid until the enumeration moves.</summary>
        public readonly ReadOnlySpan<byte> Current => _position.Value;

        /// <summary>Moves to the next value; returns false at the end.</summary>
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
                return MoveToStart();
            }

            if (_position.State != MultiState.OnPair)
            {
                return false;
            }

            return _reversed ? _position.MovePreviousInKey() && IsInside() : _position.MoveNextInKey();
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

        private bool MoveToStart()
        {
            if (_reversed)
            {
                return _position.SeekLastOf(_key) && IsInside();
            }

            bool isThere = _position.SeekValue(_key, _low);
            return isThere && (!_isAfter || !_position.Value.SequenceEqual(_low) || _position.MoveNextInKey());
        }

        private readonly bool IsInside() => _position.Value.SequenceCompareTo(_low) >= (_isAfter ? 1 : 0);
    }
}

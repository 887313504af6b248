using System.Buffers;
using Voron.Storage.Structures;

namespace Voron.Storage;

/// <summary>The values of one key in blocks, enumerated with foreach in order.</summary>
public readonly ref struct MultiBlocks
{
    private readonly ReadMultiTree _tree;
    private readonly ReadOnlySpan<byte> _key;

    internal MultiBlocks(ReadMultiTree tree, ReadOnlySpan<byte> key)
    {
        _tree = tree;
        _key = key;
    }

    /// <summary>Begins the enumeration.</summary>
    public Enumerator GetEnumerator() => new(_tree, _key);

    /// <summary>Enumerates blocks; created by foreach. Allocates nothing.</summary>
    public ref struct Enumerator : IDisposable
    {
        private readonly ReadMultiTree _tree;
        private readonly int _version;
        private readonly ReadOnlySpan<byte> _key;
        private MultiPosition _position;
        private byte[]? _buffer;

        internal Enumerator(ReadMultiTree tree, ReadOnlySpan<byte> key)
        {
            _tree = tree;
            _version = tree.Version;
            _key = key;
            _buffer = MultiReader.Rent(tree.LiveScope().Source);
            _position = tree.Walk(_buffer, remembers: false);
        }

        /// <summary>The current block.</summary>
        public readonly ValueBlock Current => new(_position.Value, _position.Rest.Bytes);

        /// <summary>Moves to the next block; returns false at the end.</summary>
        /// <exception cref="InvalidOperationException">The tree was changed since the enumeration began.</exception>
        public bool MoveNext()
        {
            _tree.Scope();
            if (_tree.Version != _version)
            {
                Transactions.Throw.TreeChanged();
            }

            bool isThere = _position.State switch
            {
                MultiState.Unset => _position.SeekValue(_key, default),
                MultiState.OnPair => _position.MoveNextBlock(),
                _ => false,
            };
            if (isThere && _position.Rest.Count > 0 && _position.Value.IsEmpty)
            {
                Structures.Throw.BadBlock(_position.Root);
            }

            return isThere;
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
    }
}

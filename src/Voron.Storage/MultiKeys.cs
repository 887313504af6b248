using System.Buffers;
using Voron.Storage.Structures;

namespace Voron.Storage;

/// <summary>The keys of a multi-value tree, each once, enumerated with foreach in order.</summary>
public readonly ref struct MultiKeys
{
    private readonly ReadMultiTree _tree;

    internal MultiKeys(ReadMultiTree tree) => _tree = tree;

    /// <summary>Begins the enumeration.</summary>
    public Enumerator GetEnumerator() => new(_tree);

    /// <summary>Enumerates keys; created by foreach. Allocates nothing.</summary>
    public ref struct Enumerator : IDisposable
    {
        private readonly ReadMultiTree _tree;
        private readonly int _version;
        private MultiPosition _position;
        private byte[]? _buffer;

        internal Enumerator(ReadMultiTree tree)
        {
            _tree = tree;
            _version = tree.Version;
            _buffer = MultiReader.Rent(tree.LiveScope().Source);
            _position = tree.Walk(_buffer, remembers: false);
        }

        /// <summary>The current key, valid until the enumeration moves.</summary>
        public readonly ReadOnlySpan<byte> Current => _position.Key;

        /// <summary>Moves to the next key; returns false at the end.</summary>
        /// <exception cref="InvalidOperationException">The tree was changed since the enumeration began.</exception>
        public bool MoveNext()
        {
            _tree.Scope();
            if (_tree.Version != _version)
            {
                Transactions.Throw.TreeChanged();
            }

            return _position.MoveNextKey();
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

using System.Buffers;

namespace Voron.Storage.Typed;

/// <summary>The bytes of a key and its value for one call.</summary>
internal ref struct EntryBytes
{
    private KeyBytes _key;
    private ArrayBufferWriter<byte>? _value;

    internal readonly ReadOnlySpan<byte> Key => _key.Span;

    internal readonly ReadOnlySpan<byte> Value => _value!.WrittenSpan;

    internal static EntryBytes Of<TKey, TValue>(TreeDefinition<TKey, TValue> definition, TKey key, TValue value, Span<byte> room)
    {
        EntryBytes entry = default;
        entry._key = KeyBytes.Of(definition.Keys, key, room);
        entry._value = ValueBuffer.Take();
        definition.Values.Encode(value, entry._value);
        return entry;
    }

    public void Dispose()
    {
        _key.Dispose();
        if (_value is { } value)
        {
            _value = null;
            ValueBuffer.Return(value);
        }
    }
}

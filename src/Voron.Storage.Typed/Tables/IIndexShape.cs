namespace Voron.Storage.Typed.Tables;

/// <summary>An index without the types of its rows and keys.</summary>
internal interface IIndexShape
{
    string Name { get; }

    IndexKind Kind { get; }

    /// <summary>The name of the codec of its keys, which is stored.</summary>
    string Codec { get; }

    bool IsUnique => Kind == IndexKind.Unique;

    /// <summary>A key for a message.</summary>
    object Decode(ReadOnlySpan<byte> key);
}

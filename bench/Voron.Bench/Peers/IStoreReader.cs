namespace Voron.Bench.Peers;

/// <summary>Reads a peer from one snapshot, for one thread. What it gives out is valid until its next call.</summary>
internal interface IStoreReader : IDisposable
{
    ReadOnlySpan<byte> Key { get; }

    ReadOnlySpan<byte> Value { get; }

    bool TryGet(ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value);

    bool MoveFirst();

    bool MoveNext();

    /// <summary>Goes to the first key that is not below this one.</summary>
    bool Seek(ReadOnlySpan<byte> key);
}

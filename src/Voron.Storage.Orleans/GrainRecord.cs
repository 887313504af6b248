namespace Voron.Storage.Orleans;

/// <summary>The value of a state: 16 bytes of its ETag, a byte that says whether there is a state, and the state.</summary>
internal readonly ref struct GrainRecord
{
    private const int ETagBytes = 16;
    private const int HeadBytes = ETagBytes + 1;

    private GrainRecord(Guid eTag, bool hasState, ReadOnlySpan<byte> state)
    {
        ETag = TextOf(eTag);
        HasState = hasState;
        State = state;
    }

    internal string ETag { get; }

    /// <summary>False when the state was cleared: only its ETag is left.</summary>
    internal bool HasState { get; }

    internal ReadOnlySpan<byte> State { get; }

    internal static string TextOf(Guid eTag) => eTag.ToString("N");

    internal static GrainRecord Read(ReadOnlySpan<byte> from) => from.Length >= HeadBytes
        ? new GrainRecord(new Guid(from[..ETagBytes]), from[ETagBytes] != 0, from[HeadBytes..])
        : throw new InvalidDataException("An entry of the tree is no state of a grain. The tree must hold nothing else: name another one.");

    internal static void Put(Tree tree, ReadOnlySpan<byte> key, Guid eTag, ReadOnlyMemory<byte>? state) => tree.Put(
        key, HeadBytes + (state?.Length ?? 0), (eTag, state), static (to, record) =>
        {
            record.eTag.TryWriteBytes(to);
            to[ETagBytes] = record.state is null ? (byte)0 : (byte)1;
            record.state?.Span.CopyTo(to[HeadBytes..]);
        });
}

using Voron.Storage.Format;
using Voron.Storage.Journal;

namespace Voron.Storage.History;

/// <summary>
/// The changes of the transaction that a reader has come to. Its redo is kept in memory until the next one or, if it is long, read again
/// part by part.
/// </summary>
internal sealed class TransactionChanges(ChangeReader reader, PlacedContent placed, ChangeRules rules)
{
    /// <summary>Redo up to this length is kept in memory, in bytes.</summary>
    internal const int MostKeptBytes = 16 << 20;

    private readonly List<ReadOnlyMemory<byte>> _kept = [];
    private byte[] _memory = [];

    /// <summary>Number of the transaction among those that were read; a cursor of an earlier one is stale.</summary>
    internal long Version { get; private set; }

    internal ChangeRules Rules => rules;

    internal PlacedContent Placed => placed;

    internal TransactionId Id => reader.Last;

    /// <summary>When it was committed, in ticks; 0 if it has not noted that.</summary>
    internal long Ticks => reader.Ticks;

    internal int Parts => reader.Parts;

    internal UndoneRedo? Undone => reader.Undone;

    /// <summary>Takes over the transaction that the reader has come to.</summary>
    internal void Load()
    {
        Version++;
        _kept.Clear();
        if (reader.Bytes > MostKeptBytes)
        {
            return;
        }

        if (_memory.Length < reader.Bytes)
        {
            _memory = GC.AllocateUninitializedArray<byte>((int)Math.Min(MostKeptBytes, Math.Max(reader.Bytes * 2, 4096)));
        }

        int at = 0;
        for (int i = 0; i < reader.Parts; i++)
        {
            ReadOnlySpan<byte> body = reader.Part(i);
            body.CopyTo(_memory.AsSpan(at));
            _kept.Add(_memory.AsMemory(at, body.Length));
            at += body.Length;
        }
    }

    internal ReadOnlyMemory<byte> Part(int index) => _kept.Count > 0 ? _kept[index] : reader.Part(index).ToArray();

    internal ChangeCursor Enumerate(long version) => new(this, version);

    /// <summary>Whether any change passes the filter.</summary>
    internal bool HasAny()
    {
        using ChangeCursor cursor = Enumerate(Version);
        return cursor.MoveNext(withValues: false);
    }
}

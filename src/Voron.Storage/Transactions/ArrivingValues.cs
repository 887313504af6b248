using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Journal;

namespace Voron.Storage.Transactions;

/// <summary>
/// Large values of another database that come in pieces before the operations that put them. Each is placed here when it is whole.
/// </summary>
internal sealed class ArrivingValues
{
    private readonly List<PlacedRun> _runs = [];
    private byte[] _value = [];
    private long _valueBytes;

    /// <summary>Bytes of a value whose rest has not come yet.</summary>
    internal int OpenBytes { get; private set; }

    /// <summary>Whether no value is here that was not put.</summary>
    internal bool IsEmpty => OpenBytes == 0 && _runs.Count == 0;

    internal void Clear()
    {
        OpenBytes = 0;
        _runs.Clear();
    }

    /// <summary>Takes the next piece of a value of this length; false if it cannot be one.</summary>
    internal bool TryTake(WriteSession session, long generation, long valueBytes, ReadOnlySpan<byte> piece)
    {
        bool isPossible = valueBytes is > 0 and <= FormatConstants.MaxValueBytes && piece.Length > 0
            && piece.Length <= valueBytes - OpenBytes && (OpenBytes == 0 || valueBytes == _valueBytes);
        if (!isPossible)
        {
            return false;
        }

        _valueBytes = valueBytes;
        if (_value.Length < valueBytes)
        {
            _value = GC.AllocateUninitializedArray<byte>((int)valueBytes);
        }

        piece.CopyTo(_value.AsSpan(OpenBytes));
        OpenBytes += piece.Length;
        if (OpenBytes == valueBytes)
        {
            _runs.Add(session.Values.WritePiece(generation, _value.AsSpan(0, OpenBytes)));
            OpenBytes = 0;
        }

        return true;
    }

    /// <summary>Puts the values that an operation names; false if they are not those that came.</summary>
    internal bool TryPut(WriteSession session, long generation, int tree, in RedoReader redo)
    {
        PlacedRun[] named = redo.Runs;
        if (tree < 0 || !session.Trees.ShapeOf(tree).IsOrdered || named.Length > _runs.Count)
        {
            return false;
        }

        ReadOnlySpan<PlacedRun> written = CollectionsMarshal.AsSpan(_runs)[..named.Length];
        for (int i = 0; i < named.Length; i++)
        {
            if (named[i].ValueBytes != written[i].ValueBytes)
            {
                return false;
            }
        }

        session.Values.PutPieces(generation, tree, redo.Key, written);
        _runs.RemoveRange(0, named.Length);
        return true;
    }
}

using System.IO.Pipelines;

namespace Voron.Storage.Transfer;

/// <summary>Room of the pipe that lines are written to one after another, and asked for again when it is used up.</summary>
internal ref struct LineSpace(PipeWriter pipe, bool print)
{
    private const int AskBytes = 64 << 10;

    private Span<byte> _room;
    private int _used;
    private long _advanced;

    internal readonly long Written => _advanced + _used;

    internal void Write(ReadOnlySpan<byte> bytes)
    {
        int most = (int)DumpText.MostBytes(bytes.Length, print) + 2;
        if (_room.Length - _used < most)
        {
            Finish();
            _room = pipe.GetSpan(Math.Max(most, AskBytes));
        }

        _room[_used++] = (byte)' ';
        _used += DumpText.Encode(bytes, _room[_used..], print);
        _room[_used++] = (byte)'\n';
    }

    /// <summary>Gives to the pipe what was written; returns its length.</summary>
    internal long Finish()
    {
        if (_used > 0)
        {
            pipe.Advance(_used);
            _advanced += _used;
            _used = 0;
        }

        _room = default;
        return _advanced;
    }
}

namespace Voron.Storage.Format;

/// <summary>
/// <see cref="Checksum"/> of bytes that are added in pieces; the length of the whole is known beforehand. Each piece is a multiple of
/// eight bytes long.
/// </summary>
internal struct RunningChecksum(long bytes)
{
    private uint _low = Checksum.Seed;
    private uint _high = ~(uint)bytes;
    private bool _isOdd;

    internal readonly ulong Value => _low | ((ulong)_high << 32);

    internal void Append(ReadOnlySpan<byte> piece)
    {
        if (_isOdd)
        {
            Checksum.AddWords(piece, ref _high, ref _low);
        }
        else
        {
            Checksum.AddWords(piece, ref _low, ref _high);
        }

        _isOdd ^= (piece.Length & sizeof(ulong)) != 0;
    }
}

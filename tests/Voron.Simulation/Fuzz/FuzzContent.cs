namespace Voron.Simulation.Fuzz;

/// <summary>The bytes of one file. They are the image's own until the first write, and a map's as long as one is asked for.</summary>
internal sealed class FuzzContent(byte[] bytes)
{
    private byte[] _bytes = bytes;
    private bool _isOurs;
    private FuzzMap? _map;
    private bool _isMapChanged;

    internal long Length { get; private set; } = bytes.Length;

    internal int OpenFiles { get; private set; }

    internal int SharedLocks { get; set; }

    internal FuzzFile? ExclusiveLock { get; set; }

    internal int Read(long offset, Span<byte> destination)
    {
        int count = (int)Math.Clamp(Length - offset, 0, destination.Length);
        if (count > 0)
        {
            At(offset, count).CopyTo(destination);
        }

        return count;
    }

    internal void Write(long offset, ReadOnlySpan<byte> source)
    {
        SetLength(Math.Max(Length, offset + source.Length));
        Own(Length);
        source.CopyTo(At(offset, source.Length));
    }

    internal void Clear(long offset, long bytes)
    {
        long within = Math.Clamp(Length - offset, 0, bytes);
        if (within > 0)
        {
            Own(Length);
            At(offset, (int)within).Clear();
        }
    }

    internal void SetLength(long bytes)
    {
        if (bytes < Length)
        {
            Own(Length);
            At(bytes, (int)(Length - bytes)).Clear();
        }
        else if (bytes > Length)
        {
            Own(bytes);
            _map?.Grow(bytes);
        }

        Length = bytes;
    }

    internal nint Map()
    {
        if (_map is null)
        {
            _map = FuzzMap.Rent(Length);
            At(_bytes, Length).CopyTo(_map.Bytes(0, Length));
            long rest = -Length & (FuzzDisk.SystemPageBytes - 1);
            _map.Bytes(Length, rest).Clear();
        }

        return _map.Address;
    }

    internal void Opened() => OpenFiles++;

    internal void Closed()
    {
        if (--OpenFiles == 0 && _map is { } map)
        {
            _map = null;
            if (_isMapChanged)
            {
                Own(Length);
                map.Bytes(0, Length).CopyTo(_bytes);
                _bytes.AsSpan((int)Length).Clear();
                _isMapChanged = false;
            }

            FuzzMap.Return(map);
        }
    }

    private static Span<byte> At(byte[] bytes, long length) => bytes.AsSpan(0, (int)length);

    private Span<byte> At(long offset, int length) => _map is null ? _bytes.AsSpan((int)offset, length) : _map.Bytes(offset, length);

    /// <summary>Makes room for changes. While there is a map it has the bytes, and the array is made when it goes.</summary>
    private void Own(long bytes)
    {
        if (_map is not null)
        {
            _isMapChanged = true;
        }
        else if (!_isOurs || _bytes.Length < bytes)
        {
            // A file that was made longer once is mostly made longer again.
            byte[] own = new byte[_isOurs ? Math.Max(bytes, 2L * _bytes.Length) : Math.Max(bytes, _bytes.Length)];
            At(_bytes, Math.Min(Length, _bytes.Length)).CopyTo(own);
            _bytes = own;
            _isOurs = true;
        }
    }
}

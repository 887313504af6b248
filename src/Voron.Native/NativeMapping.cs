namespace Voron.Native;

/// <summary>
/// A view of a file from its first byte on. It can grow, and no address that it returned moves or becomes invalid before dispose: address
/// space is reserved first, and pieces of the file are mapped into it one after the other. When a reservation is used up, a larger one is
/// made and the old one kept.
/// </summary>
/// <remarks>
/// All views show the same page-cache bytes, so old and new addresses of one offset always read alike. A read past the end of the file ends
/// the process; code that truncates the file must ensure that no thread reads there.
/// </remarks>
/// <param name="file">The file; the view outlives it, but can grow only while it is open.</param>
/// <param name="isWritable">If set, stores into the view change the file; otherwise they end the process.</param>
public sealed class NativeMapping(NativeFile file, bool isWritable = false) : IDisposable
{
    private const long MinReservationBytes = 1L << 30;
    private const long MaxSpareBytes = 1L << 40;

    /// <summary>Address space is plentiful, and each new reservation costs the readers their cached address translations.</summary>
    private const int SpareFactor = 16;

    /// <summary>
    /// On some systems memory of another thread may be placed where the next piece should go; the view then starts again at a new address.
    /// </summary>
    private const int MaxAttempts = 3;

    private readonly Lock _growing = new();
    private readonly List<ViewSpace> _spaces = [];
    private nint _address;
    private bool _expectsRandomReads;
    private bool _disposed;

    /// <summary>Maps at least the first bytes of the file.</summary>
    /// <param name="bytes">Number of bytes that must be readable; at most the file's length (ENXIO).</param>
    /// <param name="address">Address of the file's first byte; <paramref name="bytes"/> bytes from it are readable until dispose.</param>
    public NativeResult Map(long bytes, out nint address)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        lock (_growing)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            address = 0;
            NativeResult grown = Grow(bytes);
            if (!grown.Failed)
            {
                address = _spaces[^1].Address;
                Volatile.Write(ref _address, address);
            }

            return grown;
        }
    }

    /// <summary>
    /// Reads a part of the view into memory, so that data that the device cannot read is reported as an error (EIO) instead of ending the
    /// process when it is touched. Returns false if the system has no such call; then read the file by offset to find out.
    /// </summary>
    /// <param name="offset">Byte offset in the file.</param>
    /// <param name="bytes">Length in bytes; the range must be mapped.</param>
    /// <param name="result">Success, or the error.</param>
    public bool TryPopulate(long offset, long bytes, out NativeResult result)
    {
        result = NativeResult.Success;
        return Volatile.Read(ref _address) is not 0 and var address && ViewSpace.TryPopulate(address + (nint)offset, bytes, out result);
    }

    /// <summary>
    /// Tells the system that the view will be read in random order: a touch then reads one of the system's pages and nothing around it.
    /// Holds also for what the view grows by. A hint that not every system takes.
    /// </summary>
    public void ExpectRandomReads()
    {
        lock (_growing)
        {
            _expectsRandomReads = true;
            if (_spaces.Count > 0)
            {
                _spaces[^1].ExpectRandomReads();
            }
        }
    }

    /// <summary>Starts to read a part of the view into memory, and does not wait for it. A hint that not every system takes.</summary>
    /// <param name="offset">Byte offset in the file.</param>
    /// <param name="bytes">Length in bytes; the range must be mapped.</param>
    public void ReadAhead(long offset, long bytes)
    {
        if (Volatile.Read(ref _address) is not 0 and var address)
        {
            ViewSpace.ReadAhead(address + (nint)offset, bytes);
        }
    }

    /// <summary>Whether all of a part of the view is in memory; true also where the system does not tell.</summary>
    /// <param name="offset">Byte offset in the file.</param>
    /// <param name="bytes">Length in bytes; the range must be mapped.</param>
    public bool IsInMemory(long offset, long bytes) =>
        Volatile.Read(ref _address) is not (not 0 and var address) || ViewSpace.IsInMemory(address + (nint)offset, bytes);

    /// <summary>Unmaps all views; a later read of them ends the process.</summary>
    public void Dispose()
    {
        lock (_growing)
        {
            _disposed = true;
            foreach (ViewSpace space in _spaces)
            {
                space.Release();
                NativeCounts.AddViews(-1);
            }

            _spaces.Clear();
        }
    }

    private NativeResult Grow(long bytes)
    {
        NativeResult asked = file.GetLength(out long length);
        if (asked.Failed)
        {
            return asked;
        }

        if (bytes > length)
        {
            return NativePlatform.PastEndOfFile;
        }

        // The length is read every time: the file may have been truncated since, and a read past its end cannot be caught.
        long wanted = RoundUp(bytes);
        NativeResult grown = NativeResult.Success;
        for (int attempt = 0; attempt < MaxAttempts; attempt++)
        {
            if (_spaces.Count == 0 || !_spaces[^1].CanGrowTo(wanted))
            {
                NativeResult reserved = Reserve(wanted);
                if (reserved.Failed)
                {
                    return reserved;
                }
            }

            if (wanted <= _spaces[^1].MappedBytes)
            {
                return NativeResult.Success;
            }

            grown = MapTo(wanted);
            if (!grown.Failed || _spaces[^1].CanGrowTo(wanted))
            {
                return grown;
            }
        }

        return grown;
    }

    private NativeResult MapTo(long wanted)
    {
        SystemFile system = file.Enter();
        try
        {
            NativeResult mapped = _spaces[^1].MapTo(wanted, system, isWritable);
            if (!mapped.Failed && _expectsRandomReads)
            {
                _spaces[^1].ExpectRandomReads();
            }

            return mapped;
        }
        finally
        {
            file.Leave();
        }
    }

    private NativeResult Reserve(long wanted)
    {
        long spare = Math.Min(wanted, MaxSpareBytes / SpareFactor) * SpareFactor;
        long bytes = RoundUp(Math.Max(MinReservationBytes, checked(wanted + spare)));
        while (true)
        {
            NativeResult reserved = ViewSpace.Reserve(bytes, out ViewSpace? space);
            if (space is not null)
            {
                _spaces.Add(space);
                return NativeResult.Success;
            }

            // A limit on address space (ulimit -v) may refuse the spare part; only the view itself is essential.
            if (!reserved.IsOutOfMemory || bytes <= wanted)
            {
                return reserved;
            }

            bytes = Math.Max(wanted, RoundUp(bytes / 2));
        }
    }

    private static long RoundUp(long bytes) => checked(bytes + NativePlatform.PageBytes - 1) & -NativePlatform.PageBytes;
}

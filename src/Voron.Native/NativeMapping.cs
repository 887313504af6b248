namespace Voron.Native;

/// <summary>
/// A view of a file from its first byte on. It grows, and no address that it gave out moves or is taken back before dispose:
/// address space is reserved first and pieces of the file are mapped into it one after the other; when a reservation is used up a larger
/// one is begun and the old one kept.
/// </summary>
/// <remarks>
/// All views show the same page-cache bytes, so old and new addresses of one offset always read alike. A read past the end of the file
/// ends the process; whoever cuts the file must know that nobody reads there.
/// </remarks>
/// <param name="file">The file; the view outlives it, but growing needs it open.</param>
/// <param name="isWritable">Stores into the view change the file; else they end the process.</param>
public sealed class NativeMapping(NativeFile file, bool isWritable = false) : IDisposable
{
    private const long MinReservationBytes = 1L << 30;
    private const long MaxSpareBytes = 1L << 40;

    /// <summary>
    /// Address space is not short, and every step to a new reservation costs the readers their warm address translations.
    /// </summary>
    private const int SpareFactor = 16;

    /// <summary>A system may give the place of the next piece to another thread's memory; then the view begins anew elsewhere.</summary>
    private const int MaxAttempts = 3;

    private readonly Lock _growing = new();
    private readonly List<ViewSpace> _spaces = [];
    private nint _address;
    private bool _disposed;

    /// <summary>Maps at least the first bytes of the file.</summary>
    /// <param name="bytes">How many bytes must be readable; not more than the file has (ENXIO).</param>
    /// <param name="address">Address of the file's first byte; stays readable for as many bytes until dispose.</param>
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
    /// Brings a part of the view into memory, so that a place that the device cannot read is an error (EIO) here and not the end of the
    /// process at a touch. False when the system has no such call: then a read by position is the way to find out.
    /// </summary>
    /// <param name="offset">Where to begin.</param>
    /// <param name="bytes">How many bytes; all of them within what was mapped.</param>
    /// <param name="result">Success, or what went wrong.</param>
    public bool TryPopulate(long offset, long bytes, out NativeResult result)
    {
        result = NativeResult.Success;
        return Volatile.Read(ref _address) is not 0 and var address && ViewSpace.TryPopulate(address + (nint)offset, bytes, out result);
    }

    /// <summary>Takes all views back; whoever still reads there ends the process.</summary>
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

        // The length is asked every time: the file may have been cut since, and a read behind its end cannot be caught.
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
            return _spaces[^1].MapTo(wanted, system, isWritable);
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

            // A limit on address space (ulimit -v) may refuse the spare part; the view itself is what counts.
            if (!reserved.IsOutOfMemory || bytes <= wanted)
            {
                return reserved;
            }

            bytes = Math.Max(wanted, RoundUp(bytes / 2));
        }
    }

    private static long RoundUp(long bytes) => checked(bytes + NativePlatform.PageBytes - 1) & -NativePlatform.PageBytes;
}

using Voron.Native.Unix;

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

    private readonly Lock _growing = new();
    private readonly List<(nint Address, long Bytes)> _reservations = [];
    private long _mappedBytes;
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
                address = _reservations[^1].Address;
            }

            return grown;
        }
    }

    /// <summary>Takes all views back; whoever still reads there ends the process.</summary>
    public void Dispose()
    {
        lock (_growing)
        {
            _disposed = true;
            foreach ((nint address, long bytes) in _reservations)
            {
                _ = UnmapCall.Invoke(address, (nuint)bytes);
            }

            _reservations.Clear();
            _mappedBytes = 0;
        }
    }

    private int Protection => isWritable ? MemoryFlags.Read | MemoryFlags.Write : MemoryFlags.Read;

    private NativeResult Grow(long bytes)
    {
        NativeResult asked = file.GetLength(out long length);
        if (asked.Failed)
        {
            return asked;
        }

        if (bytes > length)
        {
            return new NativeResult(Errno.NXIO);
        }

        // The length is asked every time: the file may have been cut since, and a read behind its end cannot be caught.
        long wanted = RoundUp(bytes);
        if (_reservations.Count == 0 || wanted > _reservations[^1].Bytes)
        {
            NativeResult reserved = Reserve(wanted);
            if (reserved.Failed)
            {
                return reserved;
            }
        }

        return wanted > _mappedBytes ? MapPiece(wanted) : NativeResult.Success;
    }

    /// <summary>
    /// Maps the pages from the present end of the view to the wanted one. A last page that was part of the view already shows what the
    /// file gained in it.
    /// </summary>
    private NativeResult MapPiece(long wanted)
    {
        nint at = _reservations[^1].Address + (nint)_mappedBytes;
        int descriptor = file.EnterDescriptor();
        try
        {
            nint got = MapCall.Invoke(
                at, (nuint)(wanted - _mappedBytes), Protection, MemoryFlags.Shared | MemoryFlags.Fixed, descriptor, _mappedBytes);
            if (got == MemoryFlags.Failed)
            {
                return NativeResult.Last();
            }
        }
        finally
        {
            file.LeaveDescriptor();
        }

        _mappedBytes = wanted;
        return NativeResult.Success;
    }

    private NativeResult Reserve(long wanted)
    {
        long spare = Math.Min(wanted, MaxSpareBytes / SpareFactor) * SpareFactor;
        long bytes = RoundUp(Math.Max(MinReservationBytes, checked(wanted + spare)));
        while (true)
        {
            nint address = MapCall.Invoke(
                0, (nuint)bytes, MemoryFlags.NoAccess, MemoryFlags.Private | MemoryFlags.Anonymous | MemoryFlags.NoReserve, -1, 0);
            if (address != MemoryFlags.Failed)
            {
                _reservations.Add((address, bytes));
                _mappedBytes = 0;
                return NativeResult.Success;
            }

            // A limit on address space (ulimit -v) may refuse the spare part; the view itself is what counts.
            NativeResult result = NativeResult.Last();
            if (result.Code != Errno.NOMEM || bytes <= wanted)
            {
                return result;
            }

            bytes = Math.Max(wanted, RoundUp(bytes / 2));
        }
    }

    private static long RoundUp(long bytes) => checked(bytes + NativePlatform.PageBytes - 1) & -NativePlatform.PageBytes;
}

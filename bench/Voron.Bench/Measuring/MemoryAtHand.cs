using System.Diagnostics;
using Voron.Native;

namespace Voron.Bench.Measuring;

/// <summary>
/// Memory that is given back bit by bit while a fill runs, so that the system owns what the fill asks for. A virtual machine may give
/// memory that it does not use back to its host within seconds, and then the first touch of each page costs microseconds, which is not the
/// same for fills that take different amounts.
/// </summary>
internal sealed class MemoryAtHand : IDisposable
{
    internal const int Mebibytes = 2048;

    private const int PieceBytes = 2 << 20;

    private readonly Stack<NativeMemoryRegion> _pieces = new();
    private int _all;

    /// <summary>What a mebibyte cost when it was taken, in milliseconds.</summary>
    internal double MillisecondsPerMebibyte { get; private set; }

    /// <summary>What has not been given back.</summary>
    internal long Bytes => _pieces.Count * (long)PieceBytes;

    internal void Take()
    {
        const NativeMemoryOptions Touched = NativeMemoryOptions.HugePages | NativeMemoryOptions.PreFault;
        long start = Stopwatch.GetTimestamp();
        for (_all = 0; _all < ((long)Mebibytes << 20) / PieceBytes; _all++)
        {
            if (NativeMemoryRegion.Allocate(PieceBytes, Touched, out NativeMemoryRegion? piece) is { Failed: true } refused)
            {
                throw new InsufficientMemoryException($"{Mebibytes:N0} MiB of memory cannot be had: {refused}.");
            }

            _pieces.Push(piece!);
        }

        MillisecondsPerMebibyte = Stopwatch.GetElapsedTime(start).TotalMilliseconds / Mebibytes;
    }

    /// <summary>Gives back as much as belongs to this share of the fill.</summary>
    internal void GiveUpTo(double share)
    {
        while (_pieces.Count > _all * (1 - share))
        {
            _pieces.Pop().Dispose();
        }
    }

    public void Dispose() => GiveUpTo(1);
}

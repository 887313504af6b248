using Voron.Native;

namespace Voron.Storage.IO;

/// <summary>Where <see cref="AlignedBuffer"/> takes memory from and returns it to, when that is not the system itself.</summary>
internal interface IMemorySource
{
    /// <summary>Gives zeroed memory of at least this length, or says why there is none.</summary>
    NativeResult Take(long bytes, NativeMemoryOptions options, out NativeMemoryRegion? region);

    /// <summary>Takes memory back that nothing uses any more.</summary>
    void Return(NativeMemoryRegion region, NativeMemoryOptions options);
}

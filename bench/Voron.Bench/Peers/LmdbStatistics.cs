using System.Runtime.InteropServices;

namespace Voron.Bench.Peers;

/// <summary>What LMDB says about a tree (MDB_stat).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct LmdbStatistics
{
    internal uint PageBytes;
    internal uint Depth;
    internal nint BranchPages;
    internal nint LeafPages;
    internal nint OverflowPages;
    internal nint Entries;

    internal readonly long AllocatedBytes => (BranchPages + LeafPages + (long)OverflowPages) * PageBytes;
}

using Voron.Native;

namespace Voron.Simulation.Fuzz;

/// <summary>
/// Memory that stands for a mapped file: behind the system's page in which the file ends nothing may be touched, so that whoever reads
/// beyond dies at once. Maps of equal lengths are used again.
/// </summary>
internal sealed class FuzzMap : IDisposable
{
    private const long RoomToGrowBytes = 64L << 20;
    private const int MostIdle = 64;
    private static readonly Lock Gate = new();
    private static readonly LinkedList<FuzzMap> Idle = [];

    private readonly NativeMemoryRegion _region;

    private FuzzMap(long bytes)
    {
        if (NativeMemoryRegion.Reserve(bytes + RoomToGrowBytes, out NativeMemoryRegion? region).Failed)
        {
            throw new InsufficientMemoryException("No address space for a map.");
        }

        _region = region!;
        Grow(bytes);
    }

    internal nint Address => _region.Address;

    internal static FuzzMap Rent(long bytes)
    {
        lock (Gate)
        {
            for (LinkedListNode<FuzzMap>? node = Idle.First; node is not null; node = node.Next)
            {
                if (node.Value._region.CommittedBytes == PagesOf(bytes))
                {
                    Idle.Remove(node);
                    return node.Value;
                }
            }
        }

        return new FuzzMap(bytes);
    }

    internal static void Return(FuzzMap map)
    {
        lock (Gate)
        {
            Idle.AddFirst(map);
            if (Idle.Count > MostIdle)
            {
                Idle.Last!.Value.Dispose();
                Idle.RemoveLast();
            }
        }
    }

    internal Span<byte> Bytes(long offset, long length) => _region.Span(offset, (int)length);

    internal void Grow(long bytes)
    {
        if (_region.Commit(PagesOf(bytes)).Failed)
        {
            throw new InsufficientMemoryException("No memory for a map.");
        }
    }

    public void Dispose() => _region.Dispose();

    private static long PagesOf(long bytes) => (bytes + NativePlatform.PageBytes - 1) & -NativePlatform.PageBytes;
}

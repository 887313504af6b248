using System.Diagnostics;
using System.IO.MemoryMappedFiles;
using Microsoft.Win32.SafeHandles;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;
using Voron.Bench.Workloads;

namespace Voron.Bench.Raw;

/// <summary>
/// The raw limits as the posts of 2013 measured them, with the variants of their comments, in the calls of Linux: FlushViewOfFile is
/// sync_file_range there, which starts writing and waits for nothing; FlushFileBuffers is fdatasync or, for a map, msync.
/// </summary>
internal sealed class OldProbes(BenchRun run)
{
    private const int ItemsPerTransaction = 100;
    private const int PageBytes = 4096;
    private const int MappedWriteBytes = 12 << 10;
    private const int ChunkBytes = 32 << 20;
    private static readonly int[] BatchSizes = [1, 2, 4, 8, 16];

    private readonly byte[] _bytes = PlainFiles.RandomOf(PlainFiles.BytesPerFlush);
    private readonly byte[] _mappedBytes = PlainFiles.RandomOf(MappedWriteBytes);
    private readonly int _writes = run.Scaled(3_000, 20);
    private readonly long _areaBytes = (long)run.Scaled(512, 16) << 20;
    private readonly long _mapBytes = (long)run.Scaled(768, 16) << 20;

    internal IReadOnlyList<Contender> Contenders() =>
    [
        Of("sequential write and flush", "fdatasync each, fresh space", 
            () => Write(_ => { }, fresh: true, (write, _) => Sequential(write))),
        Of("the same, a read-only map open", "fdatasync each, fresh space", WriteBesideMap),
        Of("the same, onto existing content", "fdatasync each", () => Write(_ => { }, fresh: false, (write, _) => Sequential(write))),
        Of("the same, with a cold cache", "fdatasync each, onto existing content",
            () => Write(Cool, fresh: false, (write, _) => Sequential(write))),
        Of("random 4 KiB-aligned write and flush", "fdatasync each, onto existing content",
            () => Write(_ => { }, fresh: false, (_, random) => random.Below((int)(_areaBytes / PageBytes) - 3) * (long)PageBytes)),
        Of("mapped random writes", "no flush", () => Map(_mapBytes, inOrder: false, (_, _, _) => { })),
        Of("mapped random writes, write started", "sync_file_range each", () => Map(_mapBytes, inOrder: false, Start)),
        Of("mapped random writes and flush", "msync each", () => Map(_mapBytes, inOrder: false, Sync)),
        Of("journal through a mapped 32 MiB chunk", "msync each", () => Map(ChunkBytes, inOrder: true, Sync)),
        Of("one flush of the whole map", "msync once", FlushWhole),
        .. BatchSizes.Select(puts => new Contender(
            $"{puts} puts a transaction", OurStore.Name, "sync", StoreKinds.Ours.Durability,
            () => WorkloadRun.Once(run, StoreKinds.Ours, new Workload("batch", WorkStep.Fill, run.Scaled(1_000, 20), puts)))),
    ];

    private static Contender Of(string name, string durability, Func<Measured> work) => new(name, "device", "sync", durability, work);

    private static long Sequential(int write) => (long)write * PlainFiles.BytesPerFlush;

    private Measured Write(Action<SafeFileHandle> prepare, bool fresh, Func<int, RandomPlace, long> offsetOf)
    {
        string path = Path.Combine(run.Workspace.Root, "old");
        using SafeFileHandle file = File.OpenHandle(path, FileMode.Create, FileAccess.ReadWrite);
        if (!fresh)
        {
            PlainFiles.Write(file, _areaBytes);
        }

        prepare(file);
        RandomPlace random = new();
        Measured measured = Time(write =>
        {
            RandomAccess.Write(file, _bytes, offsetOf(write, random));
            RandomAccess.FlushToDisk(file);
        });
        File.Delete(path);
        return measured;
    }

    private Measured WriteBesideMap()
    {
        MemoryMappedFile? map = null;
        Measured measured = Write(
            file =>
            {
                RandomAccess.SetLength(file, _areaBytes);
                map = MemoryMappedFile.CreateFromFile(
                    file, null, 0, MemoryMappedFileAccess.Read, HandleInheritability.None, leaveOpen: true);
            },
            fresh: true,
            (write, _) => Sequential(write));
        map?.Dispose();
        return measured;
    }

    private Measured Map(long bytes, bool inOrder, Action<SafeFileHandle, nint, long> after)
    {
        string path = Path.Combine(run.Workspace.Root, "map");
        using SafeFileHandle file = File.OpenHandle(path, FileMode.Create, FileAccess.ReadWrite);
        PlainFiles.Write(file, bytes);
        using MemoryMappedFile map = MemoryMappedFile.CreateFromFile(
            file, null, 0, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None, leaveOpen: true);
        using MemoryMappedViewAccessor view = map.CreateViewAccessor();
        nint address = view.SafeMemoryMappedViewHandle.DangerousGetHandle();
        RandomPlace random = new();
        int places = (int)((bytes - MappedWriteBytes) / PageBytes);
        Measured measured = Time(write =>
        {
            long offset = (inOrder ? (long)write * 3 % places : random.Below(places)) * PageBytes;
            view.SafeMemoryMappedViewHandle.WriteArray((ulong)offset, _mappedBytes, 0, _mappedBytes.Length);
            after(file, address, offset);
        });
        File.Delete(path);
        return measured;
    }

    private Measured FlushWhole()
    {
        string path = Path.Combine(run.Workspace.Root, "whole");
        using SafeFileHandle file = File.OpenHandle(path, FileMode.Create, FileAccess.ReadWrite);
        PlainFiles.Write(file, _mapBytes);
        using MemoryMappedFile map = MemoryMappedFile.CreateFromFile(
            file, null, 0, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None, leaveOpen: true);
        using MemoryMappedViewAccessor view = map.CreateViewAccessor();
        for (long offset = 0; offset < _mapBytes; offset += PageBytes)
        {
            view.Write(offset, offset);
        }

        using Meter meter = new(run.Workspace.Root);
        view.Flush();
        meter.Stop(1);
        File.Delete(path);
        return meter.ToMeasured();
    }

    private static void Start(SafeFileHandle file, nint address, long offset) => Demand(
        "sync_file_range", SystemCalls.SyncRange((int)file.DangerousGetHandle(), offset, MappedWriteBytes, SystemCalls.StartWriting));

    private static void Sync(SafeFileHandle file, nint address, long offset) =>
        Demand("msync", SystemCalls.SyncMemory(address + (nint)offset, MappedWriteBytes, SystemCalls.WaitForDevice));

    private static void Cool(SafeFileHandle file) =>
        Demand("posix_fadvise", SystemCalls.Advise((int)file.DangerousGetHandle(), 0, 0, SystemCalls.DropFromCache));

    private static void Demand(string call, int result)
    {
        if (result != 0)
        {
            throw new IOException($"{call} failed.");
        }
    }

    private Measured Time(Action<int> writeOnce)
    {
        Latencies latencies = new(_writes);
        using Meter meter = new(run.Workspace.Root);
        long last = Stopwatch.GetTimestamp();
        for (int write = 0; write < _writes; write++)
        {
            writeOnce(write);
            long now = Stopwatch.GetTimestamp();
            latencies.Add(last, now);
            last = now;
        }

        meter.Stop((long)_writes * ItemsPerTransaction, latencies);
        return meter.ToMeasured();
    }
}

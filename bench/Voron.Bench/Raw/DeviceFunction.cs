using System.Diagnostics;
using Voron.Bench.Measuring;
using Voron.Native;

namespace Voron.Bench.Raw;

/// <summary>
/// What write-through writes past the page cache cost: several in flight, each from a thread of its own; and into a file that grows,
/// against one that was written before.
/// </summary>
internal sealed class DeviceFunction(BenchRun run)
{
    private const int AreaBytes = 16 << 20;
    private static readonly int[] Depths = [1, 2, 4, 8];

    private readonly int _writes = run.Scaled(2_000, 20);

    internal IReadOnlyList<Contender> Contenders() =>
    [
        .. Depths.Select(depth => Of($"12 KiB, {depth} in flight", () => Write(depth, RawLimit.HeadlineWriteBytes, written: true))),
        Of("4 KiB, written before", () => Write(1, 4096, written: true)),
        Of("4 KiB, growing", () => Write(1, 4096, written: false)),
        Of("12 KiB, growing", () => Write(1, RawLimit.HeadlineWriteBytes, written: false)),
        Of("64 KiB, growing", () => Write(1, 64 << 10, written: false)),
    ];

    private static Contender Of(string name, Func<Measured> work) => new(name, "device", "sync", "O_DIRECT, O_DSYNC", work);

    private Measured Write(int depth, int writeBytes, bool written)
    {
        string path = Path.Combine(run.Workspace.Root, "device");
        const NativeFileOptions Options = NativeFileOptions.Create | NativeFileOptions.Direct | NativeFileOptions.DataSync;
        Demand(NativeFile.Open(path, Options, out NativeFile? file));
        Demand(NativeMemoryRegion.Allocate(1 << 20, NativeMemoryOptions.PreFault, out NativeMemoryRegion? memory));
        using (memory)
        using (file)
        {
            new RandomBytes(0x10).Fill(memory!.Span(0, 1 << 20));
            for (long offset = 0; written && offset < (long)depth * AreaBytes; offset += 1 << 20)
            {
                Demand(file!.Write(offset, memory.Span(0, 1 << 20)));
            }

            Latencies[] latencies = [.. Enumerable.Range(0, depth).Select(_ => new Latencies(_writes))];
            using Meter meter = new(run.Workspace.Root);
            Threads.Run(depth, place => WriteMany(file!, memory, place, writeBytes, written, latencies[place]));
            meter.Stop((long)_writes * depth, Latencies.Together(latencies));
            File.Delete(path);
            return meter.ToMeasured() with { BytesPerCommit = writeBytes };
        }
    }

    private void WriteMany(NativeFile file, NativeMemoryRegion memory, int place, int writeBytes, bool written, Latencies latencies)
    {
        long first = (long)place * AreaBytes;
        long places = written ? AreaBytes / writeBytes : long.MaxValue;
        long last = Stopwatch.GetTimestamp();
        for (int write = 0; write < _writes; write++)
        {
            Demand(file.Write(first + (write % places * writeBytes), memory.Span(0, writeBytes)));
            long now = Stopwatch.GetTimestamp();
            latencies.Add(last, now);
            last = now;
        }
    }

    private static void Demand(NativeResult result)
    {
        if (result.Failed)
        {
            throw new IOException($"The device's file cannot be used: {result}.");
        }
    }
}

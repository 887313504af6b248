using System.Diagnostics;
using Voron.Native;

namespace Voron.Bench;

/// <summary>
/// The raw device limit: blocking write-through writes past the page cache, one in flight, one after another into a file of 64 MiB that
/// was written before, so that none of them changes the file's length or layout.
/// </summary>
internal sealed class RawLimit : IDisposable
{
    /// <summary>What one transaction of 100 puts of 16 + 100 bytes needs, in whole blocks of 4 KiB.</summary>
    internal const int HeadlineWriteBytes = 12_288;

    internal const int ItemsPerWrite = 100;
    internal const int WritesPerProbe = 2_000;

    private const int AreaBytes = 64 << 20;
    private const int BufferBytes = 1 << 20;

    private readonly string _path;
    private readonly NativeFile _file;
    private readonly NativeMemoryRegion _buffer;

    internal RawLimit(string folder)
    {
        _path = Path.Combine(folder, "raw-limit");
        const NativeFileOptions options = NativeFileOptions.Create | NativeFileOptions.Direct | NativeFileOptions.DataSync;
        Demand(NativeFile.Open(_path, options, out NativeFile? file));
        _file = file!;
        Demand(NativeMemoryRegion.Allocate(BufferBytes, NativeMemoryOptions.PreFault, out NativeMemoryRegion? buffer));
        _buffer = buffer!;

        // Some virtual disks shorten runs of zeros; a journal has none.
        new RandomBytes(0x10).Fill(_buffer.Span(0, BufferBytes));
        for (long offset = 0; offset < AreaBytes; offset += BufferBytes)
        {
            Demand(_file.Write(offset, _buffer.Span(0, BufferBytes)));
        }
    }

    /// <summary>False when the file system refused to go past the page cache; the limit is that of synced writes through it then.</summary>
    internal bool IsDirect => _file.IsDirect;

    /// <summary>Writes so many times and says how fast that was.</summary>
    internal Probe Measure(int writeBytes = HeadlineWriteBytes, int writes = WritesPerProbe)
    {
        Latencies latencies = new(writes);
        Span<byte> bytes = _buffer.Span(0, writeBytes);
        long offset = 0;
        long start = Stopwatch.GetTimestamp();
        long before = start;
        for (int write = 0; write < writes; write++)
        {
            Demand(_file.Write(offset, bytes));
            offset = offset + (2L * writeBytes) <= AreaBytes ? offset + writeBytes : 0;
            long after = Stopwatch.GetTimestamp();
            latencies.Add(before, after);
            before = after;
        }

        double seconds = Stopwatch.GetElapsedTime(start, before).TotalSeconds;
        return new Probe(writes, writeBytes, seconds, latencies.Microseconds(0.5), latencies.Microseconds(0.99));
    }

    public void Dispose()
    {
        _file.Dispose();
        _buffer.Dispose();
        File.Delete(_path);
    }

    private void Demand(NativeResult result)
    {
        if (result.Failed)
        {
            throw new IOException($"The probe file '{_path}' cannot be used: {result}.");
        }
    }
}

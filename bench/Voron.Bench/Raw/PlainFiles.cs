using System.Diagnostics;
using System.IO.MemoryMappedFiles;
using Microsoft.Win32.SafeHandles;
using Voron.Bench.Measuring;

namespace Voron.Bench.Raw;

/// <summary>Files as any .NET program writes them: 11,600 bytes, which are 100 items, then a flush to the device.</summary>
internal sealed class PlainFiles(Workspace workspace, int flushes)
{
    internal const int BytesPerFlush = 11_600;

    private const int ItemsPerFlush = 100;
    private const int ViewBytes = 1 << 20;

    private readonly byte[] _bytes = RandomOf(BytesPerFlush);

    internal Measured Stream(FileOptions options)
    {
        string path = Path.Combine(workspace.Root, "stream");
        using FileStream stream = new(path, FileMode.Create, FileAccess.Write, FileShare.Read, bufferSize: 0, options);
        return Time(path, _ =>
        {
            stream.Write(_bytes);
            if (options == FileOptions.None)
            {
                stream.Flush(flushToDisk: true);
            }
        });
    }

    internal Measured Positional(bool written)
    {
        string path = Path.Combine(workspace.Root, "positional");
        using SafeFileHandle file = File.OpenHandle(path, FileMode.Create, FileAccess.ReadWrite);
        if (written)
        {
            Write(file, (long)flushes * BytesPerFlush);
        }

        return Time(path, flush =>
        {
            RandomAccess.Write(file, _bytes, (long)flush * BytesPerFlush);
            RandomAccess.FlushToDisk(file);
        });
    }

    internal Measured Mapped()
    {
        string path = Path.Combine(workspace.Root, "mapped");
        using MemoryMappedFile file = MemoryMappedFile.CreateFromFile(path, FileMode.Create, null, ViewBytes);
        using MemoryMappedViewAccessor view = file.CreateViewAccessor();
        return Time(path, flush =>
        {
            view.WriteArray((long)flush * BytesPerFlush % (ViewBytes - BytesPerFlush), _bytes, 0, _bytes.Length);
            view.Flush();
        });
    }

    /// <summary>Bytes that no device shortens.</summary>
    internal static byte[] RandomOf(int bytes)
    {
        byte[] random = new byte[(bytes + 7) & ~7];
        new RandomBytes(0x11).Fill(random);
        return random[..bytes];
    }

    /// <summary>Writes a file's content once, and waits until the device has it.</summary>
    internal static void Write(SafeFileHandle file, long bytes)
    {
        byte[] piece = RandomOf(1 << 20);
        for (long offset = 0; offset < bytes; offset += piece.Length)
        {
            RandomAccess.Write(file, piece, offset);
        }

        RandomAccess.FlushToDisk(file);
    }

    private Measured Time(string path, Action<int> flushOnce)
    {
        Latencies latencies = new(flushes);
        using Meter meter = new(workspace.Root);
        long last = Stopwatch.GetTimestamp();
        for (int flush = 0; flush < flushes; flush++)
        {
            flushOnce(flush);
            long now = Stopwatch.GetTimestamp();
            latencies.Add(last, now);
            last = now;
        }

        meter.Stop((long)flushes * ItemsPerFlush, latencies);
        File.Delete(path);
        return meter.ToMeasured();
    }
}

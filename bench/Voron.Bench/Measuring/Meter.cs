using System.Diagnostics;

namespace Voron.Bench.Measuring;

/// <summary>What the process spends from here on. Figures that the system does not give are null.</summary>
internal sealed class Meter : IDisposable
{
    private readonly BlockDevice? _device;
    private readonly string? _deviceSource;
    private readonly long _deviceBytesBefore;
    private readonly long _bytesReadBefore;
    private readonly MemoryPeak? _peak = OperatingSystem.IsLinux() ? new MemoryPeak() : null;
    private readonly long _memoryBefore = OperatingSystem.IsLinux() ? Machine.AnonymousBytes : 0;
    private readonly TimeSpan _processorBefore;
    private readonly long _managedBytesBefore;
    private readonly long _start;
    private double? _closeSeconds;
    private Measured? _measured;

    /// <summary>Begins.</summary>
    /// <param name="folder">A folder on the device whose bytes count; null where nothing is written.</param>
    internal Meter(string? folder = null)
    {
        if (folder is not null)
        {
            _device = BlockDevice.Under(folder);
            _deviceSource = _device?.Name ?? BlockDevice.Unknown;
            _deviceBytesBefore = _device?.WrittenBytes ?? 0;
            _bytesReadBefore = _device?.BytesRead ?? 0;
        }

        _processorBefore = ProcessorTime;
        _managedBytesBefore = GC.GetTotalAllocatedBytes(precise: true);
        _start = Stopwatch.GetTimestamp();
    }

    private static TimeSpan ProcessorTime
    {
        get
        {
            using Process self = Process.GetCurrentProcess();
            return self.TotalProcessorTime;
        }
    }

    /// <summary>The timed part ends here.</summary>
    internal void Stop(long items, Latencies? latencies = null)
    {
        double seconds = Stopwatch.GetElapsedTime(_start).TotalSeconds;
        long managedBytes = GC.GetTotalAllocatedBytes(precise: true) - _managedBytesBefore;
        _measured = new Measured(seconds, items)
        {
            Latencies = latencies,
            DeviceBytesRead = _device?.BytesRead - _bytesReadBefore,
            CpuSeconds = (ProcessorTime - _processorBefore).TotalSeconds,
            ManagedBytes = managedBytes,
            PeakBytes = _peak is null ? null : Math.Max(0, _peak.Bytes - _memoryBefore),
        };
    }

    /// <summary>Closes what was measured; bytes to the device count until here.</summary>
    internal void Close(IDisposable store)
    {
        long start = Stopwatch.GetTimestamp();
        store.Dispose();
        _closeSeconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
    }

    /// <summary>All figures. The folder must still be there.</summary>
    internal Measured ToMeasured() => _measured! with
    {
        CloseSeconds = _closeSeconds,
        DeviceBytes = _device?.WrittenBytes - _deviceBytesBefore,
        DeviceBytesOf = _deviceSource,
    };

    public void Dispose() => _peak?.Dispose();
}

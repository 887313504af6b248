using System.Diagnostics.Metrics;

namespace Voron.Storage.Extensions.Tests.Expiry;

/// <summary>Waits for sweeps of a host to end, by what they measure.</summary>
internal sealed class Turns : IDisposable
{
    private readonly MeterListener _listener = new();
    private readonly SemaphoreSlim _ended = new(0);

    internal Turns(IMeterFactory factory)
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Scope == factory && instrument.Name is "voron.storage.expiry.duration" or "voron.storage.expiry.failures")
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<double>((_, _, _, _) => _ended.Release());
        _listener.SetMeasurementEventCallback<long>((_, _, _, _) => _ended.Release());
        _listener.Start();
    }

    /// <summary>Number of sweeps that ended and were not waited for.</summary>
    internal int Unseen => _ended.CurrentCount;

    /// <summary>The end of the next sweep.</summary>
    internal async Task NextAsync()
    {
        if (!await _ended.WaitAsync(TimeSpan.FromMinutes(1)))
        {
            throw new TimeoutException("No sweep has ended.");
        }
    }

    public void Dispose()
    {
        _listener.Dispose();
        _ended.Dispose();
    }
}

using System.Diagnostics.Metrics;

namespace Voron.Storage.Extensions.Tests.Telemetry;

/// <summary>What the meter of one host has measured.</summary>
internal sealed class Collected : IDisposable
{
    private readonly MeterListener _listener = new();
    private readonly Lock _gate = new();

    /// <param name="factory">Whose meter; others of the same name, of tests beside this one, are not listened to.</param>
    internal Collected(IMeterFactory factory)
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name == VoronStorageTelemetry.MeterName && instrument.Meter.Scope == factory)
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<long>((one, value, tags, _) => Note(one, value, tags));
        _listener.SetMeasurementEventCallback<int>((one, value, tags, _) => Note(one, value, tags));
        _listener.SetMeasurementEventCallback<double>((one, value, tags, _) => Note(one, value, tags));
        _listener.Start();
    }

    internal Dictionary<string, List<(double Value, object? Storage)>> Values { get; } = [];

    internal Dictionary<string, string?> Units { get; } = [];

    internal Collected Collect()
    {
        _listener.RecordObservableInstruments();
        return this;
    }

    internal double Last(string name)
    {
        lock (_gate)
        {
            return Values[name][^1].Value;
        }
    }

    internal int Count(string name)
    {
        lock (_gate)
        {
            return Values.TryGetValue(name, out var all) ? all.Count : 0;
        }
    }

    public void Dispose() => _listener.Dispose();

    private void Note(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        lock (_gate)
        {
            Units[instrument.Name] = instrument.Unit;
            if (!Values.TryGetValue(instrument.Name, out var all))
            {
                Values[instrument.Name] = all = [];
            }

            all.Add((value, tags.ToArray().Single(static tag => tag.Key == VoronStorageTelemetry.StorageTag).Value));
        }
    }
}

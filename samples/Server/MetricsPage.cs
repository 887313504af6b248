using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Globalization;
using System.Text;
using Voron.Storage.Extensions;

namespace Voron.Samples.Server;

/// <summary>
/// The meters of the process in the text format of Prometheus: counters and gauges as they are, histograms as sum and count.
/// </summary>
internal sealed class MetricsPage : IDisposable
{
    private static readonly string[] Meters =
        [VoronStorageTelemetry.MeterName, "Microsoft.AspNetCore.Hosting", "Microsoft.AspNetCore.Server.Kestrel"];

    private readonly MeterListener _listener = new();
    private readonly ConcurrentDictionary<string, double> _lines = new();

    internal void Listen()
    {
        _listener.InstrumentPublished = static (instrument, listener) =>
        {
            if (Meters.Contains(instrument.Meter.Name))
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<int>((one, value, tags, _) => Note(one, value, tags));
        _listener.SetMeasurementEventCallback<long>((one, value, tags, _) => Note(one, value, tags));
        _listener.SetMeasurementEventCallback<double>((one, value, tags, _) => Note(one, value, tags));
        _listener.Start();
    }

    internal Task AnswerAsync(HttpContext context)
    {
        _listener.RecordObservableInstruments();
        StringBuilder text = new();
        foreach ((string line, double value) in _lines.OrderBy(static pair => pair.Key, StringComparer.Ordinal))
        {
            text.Append(line).Append(' ').Append(value.ToString("R", CultureInfo.InvariantCulture)).Append('\n');
        }

        context.Response.ContentType = "text/plain; version=0.0.4; charset=utf-8";
        return context.Response.WriteAsync(text.ToString(), context.RequestAborted);
    }

    public void Dispose() => _listener.Dispose();

    private void Note(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        string name = instrument.Name.Replace('.', '_');
        string labels = LabelsOf(tags);
        if (instrument.GetType().Name.StartsWith("Histogram", StringComparison.Ordinal))
        {
            Add($"{name}_sum{labels}", value);
            Add($"{name}_count{labels}", 1);
        }
        else if (instrument.IsObservable)
        {
            _lines[name + labels] = value;
        }
        else
        {
            Add(name + labels, value);
        }
    }

    private void Add(string line, double value) => _lines.AddOrUpdate(line, value, (_, before) => before + value);

    private static string LabelsOf(ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        StringBuilder labels = new();
        foreach ((string name, object? value) in tags)
        {
            string text = Convert.ToString(value, CultureInfo.InvariantCulture) ?? string.Empty;
            labels.Append(labels.Length == 0 ? '{' : ',').Append(name.Replace('.', '_')).Append("=\"")
                .Append(text.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\"", "\\\"", StringComparison.Ordinal)).Append('"');
        }

        return labels.Length == 0 ? string.Empty : labels.Append('}').ToString();
    }
}

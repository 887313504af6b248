using System.Diagnostics;

namespace Voron.Bench;

/// <summary>Durations of single operations; room for all of them is made before the first.</summary>
internal sealed class Latencies(int capacity)
{
    private readonly long[] _ticks = new long[capacity];
    private int _count;
    private bool _sorted;

    /// <summary>Those of several threads.</summary>
    internal static Latencies Together(IReadOnlyList<Latencies> parts)
    {
        if (parts.Count == 1)
        {
            return parts[0];
        }

        Latencies all = new(parts.Sum(static part => part._count));
        foreach (Latencies part in parts)
        {
            part._ticks.AsSpan(0, part._count).CopyTo(all._ticks.AsSpan(all._count));
            all._count += part._count;
        }

        return all;
    }

    internal int Count => _count;

    /// <summary>
    /// A copy of those from one of them on, in the order in which they were noted; to be asked for before any duration of all of them.
    /// </summary>
    internal Latencies From(int first)
    {
        Latencies part = new(_count - first) { _count = _count - first };
        _ticks.AsSpan(first, part._count).CopyTo(part._ticks);
        return part;
    }

    /// <summary>Notes an operation that took from one <see cref="Stopwatch.GetTimestamp"/> to another.</summary>
    internal void Add(long from, long to)
    {
        _ticks[_count++] = to - from;
        _sorted = false;
    }

    /// <summary>The duration in microseconds that this share of the operations did not exceed; the longest for a share of 1.</summary>
    internal double Microseconds(double share)
    {
        if (_count == 0)
        {
            return 0;
        }

        if (!_sorted)
        {
            Array.Sort(_ticks, 0, _count);
            _sorted = true;
        }

        int place = Math.Min((int)(share * _count), _count - 1);
        return _ticks[place] * 1e6 / Stopwatch.Frequency;
    }
}

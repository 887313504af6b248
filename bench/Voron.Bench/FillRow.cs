namespace Voron.Bench;

/// <summary>The rounds of one fill and the row that they make.</summary>
internal sealed class FillRow(FillWorkload workload)
{
    private const int MaxRepeats = 2;

    private readonly List<Round> _rounds = [];
    private int _repeats;

    internal FillWorkload Workload => workload;

    /// <summary>True when a disturbed round is to be repeated; a row is not repeated for ever on a machine that never rests.</summary>
    internal bool WantsRepeat => _repeats < MaxRepeats && _rounds.Exists(round => round.Disturbed);

    internal void Add(Round round) => _rounds.Add(round);

    /// <summary>Takes a disturbed round out, to make room for another one.</summary>
    internal void TakeOutDisturbed()
    {
        _repeats++;
        _rounds.RemoveAt(_rounds.FindIndex(round => round.Disturbed));
    }

    internal Row ToRow()
    {
        Spread seconds = Spread.Of(_rounds.Select(round => round.Fill.Seconds));
        Spread ratio = Spread.Of(_rounds.Select(round => workload.Items / round.Fill.Seconds / round.LimitItemsPerSecond));
        return new Row
        {
            Name = workload.Name,
            Engine = "Voron.Storage",
            Mode = workload.ModeName,
            Items = workload.Items,
            Seconds = seconds.Median,
            SecondsMin = seconds.Min,
            SecondsMax = seconds.Max,
            LimitItemsPerSecond = Median(round => round.LimitItemsPerSecond),
            RatioToLimit = ratio.Median,
            RatioToLimitMin = ratio.Min,
            RatioToLimitMax = ratio.Max,
            P50Microseconds = Median(round => round.Fill.P50Microseconds),
            P99Microseconds = Median(round => round.Fill.P99Microseconds),
            BytesPerCommit = Median(round => round.Fill.BytesPerCommit),
            WritesPerCommit = Median(round => round.Fill.WritesPerCommit),
            SyncsPerCommit = Median(round => round.Fill.SyncsPerCommit),
            ProbeBeforeMicroseconds = Median(round => round.Before.Microseconds),
            ProbeAfterMicroseconds = Median(round => round.After.Microseconds),
            Disturbed = _rounds.Exists(round => round.Disturbed),
            Rounds = _rounds.Count,
            CloseSeconds = Median(round => round.Fill.CloseSeconds),
        };
    }

    private double Median(Func<Round, double> figure) => Spread.Of(_rounds.Select(figure)).Median;
}

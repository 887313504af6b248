namespace Voron.Bench.Measuring;

/// <summary>The rounds of one contender and the row that they make.</summary>
internal sealed class Tally(Contender contender, ProbeSize size)
{
    /// <summary>What a peer's rounds have to take together until there need be no more; with all peers a run takes long enough.</summary>
    private const double EnoughSeconds = 6;

    private readonly List<Round> _rounds = [];
    private string? _failure;

    /// <summary>True when it could not be run, or failed.</summary>
    internal bool IsOut => contender.Missing is not null || _failure is not null;

    /// <summary>A slow peer: neither further rounds nor better ones would say more.</summary>
    internal bool HasSaidEnough => contender.IsPeer && _rounds.Sum(static round => round.Measured.Seconds) >= EnoughSeconds;

    internal Contender Contender => contender;

    internal void Add(Round round) => _rounds.Add(round);

    /// <summary>It failed: its rounds count for nothing.</summary>
    internal void Fail(string message) => _failure = message;

    /// <summary>
    /// Takes disturbed rounds out, to make room for others; a row is repeated once, or a machine that never rests would keep it.
    /// </summary>
    internal int TakeOutDisturbed(double bestMicroseconds) => _rounds.RemoveAll(round => round.IsDisturbed(bestMicroseconds));

    /// <summary>Its row. Rounds that ended early did not do equally much; each counts as if it had done what the first one did.</summary>
    internal Row ToRow(double bestMicroseconds)
    {
        if (IsOut)
        {
            return Row.Skipped(contender.Name, contender.Engine, contender.Mode, contender.Missing ?? $"failed: {_failure}");
        }

        Row row = Row.Timed(
            contender.Name,
            contender.Engine,
            contender.Mode,
            _rounds[0].Measured.Items,
            _rounds.Select(round => round.Measured.Seconds * _rounds[0].Measured.Items / round.Measured.Items));
        Spread? ratio = size.ItemsPerWrite == 0
            ? null
            : Spread.Of(_rounds.Select(round =>
                round.Measured.Items / round.Measured.Seconds / round.WritesPerSecond / size.ItemsPerWrite));
        return row with
        {
            Durability = contender.Durability,
            Version = contender.Version,
            Note = _rounds[0].Measured.Note,
            LimitItemsPerSecond = size.ItemsPerWrite == 0 ? null : Median(round => round.WritesPerSecond * size.ItemsPerWrite),
            RatioToLimit = ratio?.Median,
            RatioToLimitMin = ratio?.Min,
            RatioToLimitMax = ratio?.Max,
            P50Microseconds = Median(static round => round.Measured.Latencies?.Microseconds(0.5)),
            P99Microseconds = Median(static round => round.Measured.Latencies?.Microseconds(0.99)),
            P999Microseconds = Median(static round => round.Measured.Latencies?.Microseconds(0.999)),
            MaxMicroseconds = Median(static round => round.Measured.Latencies?.Microseconds(1)),
            ProbeBeforeMicroseconds = Median(static round => round.Before.Microseconds),
            ProbeAfterMicroseconds = Median(static round => round.After.Microseconds),
            Disturbed = _rounds.Exists(round => round.IsDisturbed(bestMicroseconds)),
            CloseSeconds = Median(static round => round.Measured.CloseSeconds),
            DeviceBytesPerItem = Median(static round => round.Measured.DeviceBytes / round.Measured.Items),
            DeviceBytesOf = _rounds[0].Measured.DeviceBytesOf,
            CpuMicrosecondsPerItem = Median(static round => round.Measured.CpuSeconds * 1e6 / round.Measured.Items),
            ManagedBytesPerItem = Median(static round => round.Measured.ManagedBytes / round.Measured.Items),
            PeakBytes = Median(static round => round.Measured.PeakBytes),
            DiskBytes = Median(static round => round.Measured.DiskBytes),
            BytesPerCommit = Median(static round => round.Measured.BytesPerCommit),
            WritesPerCommit = Median(static round => round.Measured.WritesPerCommit),
            SyncsPerCommit = Median(static round => round.Measured.SyncsPerCommit),
            AllocatedToLogical = Median(static round => round.Measured.AllocatedToLogical),
        };
    }

    private double? Median(Func<Round, double?> figure) =>
        _rounds.TrueForAll(round => figure(round) is not null) ? Spread.Of(_rounds.Select(round => figure(round)!.Value)).Median : null;
}

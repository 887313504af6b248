namespace Voron.Bench;

/// <summary>
/// One row of the result, as machines get it. Figures are medians over the rounds. The ratio is the median of the rounds' own ratios, each
/// round against the probes beside it: on a machine whose speed drifts that is not the quotient of the two medians, which would set a slow
/// minute of one against a fast minute of the other. What a row does not have is null.
/// </summary>
internal sealed record Row
{
    public required string Name { get; init; }

    public required string Engine { get; init; }

    public required string Mode { get; init; }

    public required long Items { get; init; }

    public required double Seconds { get; init; }

    public double ItemsPerSecond => Items / Seconds;

    public double? LimitItemsPerSecond { get; init; }

    public double? RatioToLimit { get; init; }

    public double? P50Microseconds { get; init; }

    public double? P99Microseconds { get; init; }

    public double? BytesPerCommit { get; init; }

    public double? WritesPerCommit { get; init; }

    public double? SyncsPerCommit { get; init; }

    public double? ProbeBeforeMicroseconds { get; init; }

    public double? ProbeAfterMicroseconds { get; init; }

    public bool Disturbed { get; init; }

    public required int Rounds { get; init; }

    public required double SecondsMin { get; init; }

    public required double SecondsMax { get; init; }

    public double? RatioToLimitMin { get; init; }

    public double? RatioToLimitMax { get; init; }

    public double? CloseSeconds { get; init; }

    public double? ManagedBytesPerItem { get; init; }

    /// <summary>Pages of the tree in bytes over the bytes that were put into it.</summary>
    public double? AllocatedToLogical { get; init; }
}

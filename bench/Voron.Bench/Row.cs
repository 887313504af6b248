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

    public double ItemsPerSecond => Seconds > 0 ? Items / Seconds : 0;

    /// <summary>The part of a whole run that it belongs to, and the group within it that was measured together.</summary>
    public string? Section { get; init; }

    public string? Group { get; init; }

    /// <summary>What the engine was told so that a commit is on the device.</summary>
    public string? Durability { get; init; }

    /// <summary>What must be said beside the figures.</summary>
    public string? Note { get; init; }

    /// <summary>Why there are no figures.</summary>
    public string? SkippedBecause { get; init; }

    public double? LimitItemsPerSecond { get; init; }

    public double? RatioToLimit { get; init; }

    public double? P50Microseconds { get; init; }

    public double? P99Microseconds { get; init; }

    public double? P999Microseconds { get; init; }

    public double? MaxMicroseconds { get; init; }

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

    /// <summary>Bytes that the block device wrote meanwhile, the close included; by any process of the machine.</summary>
    public double? DeviceBytesPerItem { get; init; }

    /// <summary>Bytes that the block device read meanwhile; by any process of the machine.</summary>
    public double? DeviceBytesReadPerItem { get; init; }

    /// <summary>Which device counted them, or why none did; null where they were not asked for.</summary>
    public string? DeviceBytesOf { get; init; }

    /// <summary>The versions of the store and of the library or package that it comes in.</summary>
    public string? Version { get; init; }

    /// <summary>Writes that return only when the device has them, as those to a file opened with O_DSYNC.</summary>
    public double? WriteThroughPerCommit { get; init; }

    /// <summary>Processor time of all threads.</summary>
    public double? CpuMicrosecondsPerItem { get; init; }

    public double? PeakBytes { get; init; }

    public double? DiskBytes { get; init; }

    /// <summary>Writes that did not begin where the one before ended.</summary>
    public double? SeeksPerCommit { get; init; }

    public double? LargestWriteBytes { get; init; }

    /// <summary>For a chart: pairs of numbers, each series under its name.</summary>
    public IReadOnlyDictionary<string, double[]>? Points { get; init; }

    /// <summary>
    /// For charts over time: pairs of seconds and a figure, each series under the figure's name. A chart has one line for each engine.
    /// </summary>
    public IReadOnlyDictionary<string, double[]>? OverTime { get; init; }

    /// <summary>A row of rounds that all did the same.</summary>
    internal static Row Timed(string name, string engine, string mode, long items, IEnumerable<double> roundSeconds)
    {
        double[] all = [.. roundSeconds];
        Spread seconds = Spread.Of(all);
        return new Row
        {
            Name = name,
            Engine = engine,
            Mode = mode,
            Items = items,
            Seconds = seconds.Median,
            SecondsMin = seconds.Min,
            SecondsMax = seconds.Max,
            Rounds = all.Length,
        };
    }

    /// <summary>A row of counts, without a time.</summary>
    internal static Row Counted(string name, string engine, string mode, long items) =>
        Timed(name, engine, mode, items, [0]);

    /// <summary>A row that could not be measured here.</summary>
    internal static Row Skipped(string name, string engine, string mode, string because) => new()
    {
        Name = name,
        Engine = engine,
        Mode = mode,
        Items = 0,
        Seconds = 0,
        SecondsMin = 0,
        SecondsMax = 0,
        Rounds = 0,
        SkippedBecause = because,
    };
}

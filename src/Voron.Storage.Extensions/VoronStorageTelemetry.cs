using System.Diagnostics;

namespace Voron.Storage.Extensions;

/// <summary>Names under which an environment tells of itself, for <c>AddMeter</c> and <c>AddSource</c>.</summary>
public static class VoronStorageTelemetry
{
    /// <summary>The meter; <c>docs/services.md</c> lists its instruments.</summary>
    public const string MeterName = "Voron.Storage";

    /// <summary>The activity source: <c>voron.storage.open</c>, with the recovery, and <c>voron.storage.checkpoint</c>.</summary>
    public const string ActivitySourceName = "Voron.Storage";

    /// <summary>The tag of all measurements and activities: the environment's key, or <c>default</c>.</summary>
    public const string StorageTag = "voron.storage.name";

    /// <summary>The tag of measurements of a table: its name.</summary>
    public const string TableTag = "voron.storage.table";

    internal static ActivitySource Source { get; } = new(ActivitySourceName);
}

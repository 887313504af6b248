namespace Voron.Samples.Worker;

/// <summary>The section <c>Log</c> of the configuration.</summary>
internal sealed class LogSettings
{
    /// <summary>How many events are written before the program ends by itself; 0 for no end.</summary>
    public int Events { get; set; }

    /// <summary>How long an event is kept.</summary>
    public TimeSpan Keep { get; set; } = TimeSpan.FromMinutes(1);

    /// <summary>How often what is older is deleted.</summary>
    public TimeSpan Sweep { get; set; } = TimeSpan.FromSeconds(1);
}

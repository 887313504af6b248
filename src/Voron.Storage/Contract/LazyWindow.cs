namespace Voron.Storage;

/// <summary>How far commits of <see cref="CommitMode.Lazy"/> may be ahead of the device.</summary>
/// <param name="Time">The background makes them durable after this time at the latest.</param>
/// <param name="Bytes">The write begins earlier when this many bytes of records wait.</param>
public readonly record struct LazyWindow(TimeSpan Time, int Bytes)
{
    /// <summary>20 ms, 1 MiB.</summary>
    public static LazyWindow Default { get; } = new(TimeSpan.FromMilliseconds(20), 1 << 20);
}

namespace Voron.Storage.Tests.History;

/// <summary>A clock that a test moves.</summary>
internal sealed class MovedTime : TimeProvider
{
    internal DateTimeOffset Now { get; set; } = new(2026, 1, 2, 3, 4, 5, 300, TimeSpan.Zero);

    public override DateTimeOffset GetUtcNow() => Now;

    /// <summary>Goes on by this much and returns the time.</summary>
    internal DateTimeOffset Pass(double seconds) => Now = Now.AddSeconds(seconds);
}

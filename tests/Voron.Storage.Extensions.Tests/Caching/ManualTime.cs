namespace Voron.Storage.Extensions.Tests.Caching;

/// <summary>A clock that a test moves.</summary>
internal sealed class ManualTime : TimeProvider
{
    internal DateTimeOffset Now { get; set; } = new(2026, 1, 2, 3, 4, 5, TimeSpan.Zero);

    public override DateTimeOffset GetUtcNow() => Now;
}

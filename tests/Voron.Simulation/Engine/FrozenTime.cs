namespace Voron.Simulation.Engine;

/// <summary>A clock that stands: nothing that the engine does on a simulated disk may follow from the time.</summary>
internal sealed class FrozenTime : TimeProvider
{
    internal static FrozenTime Instance { get; } = new();

    public override long GetTimestamp() => 0;

    public override DateTimeOffset GetUtcNow() => DateTimeOffset.UnixEpoch;
}

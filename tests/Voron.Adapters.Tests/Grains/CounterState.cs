using Orleans;

namespace Voron.Adapters.Tests.Grains;

/// <summary>The state of the tests' grain.</summary>
[GenerateSerializer]
public sealed record CounterState
{
    [Id(0)]
    public string? Text { get; set; }

    [Id(1)]
    public long Number { get; set; }
}

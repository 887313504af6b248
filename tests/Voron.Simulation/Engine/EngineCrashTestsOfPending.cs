using Xunit;

namespace Voron.Simulation.Engine;

/// <summary>As <see cref="EngineCrashTests"/>, in the lanes in which entries of trees are pending.</summary>
[Trait("Lane", "Crash")]
public sealed class EngineCrashTestsOfPending
{
    public static TheoryData<string> Lanes => EngineLaneTest.Names(withPending: true);

    [Theory]
    [MemberData(nameof(Lanes))]
    public void Nothing_promised_is_lost(string lane) => EngineLaneTest.Run(lane);
}

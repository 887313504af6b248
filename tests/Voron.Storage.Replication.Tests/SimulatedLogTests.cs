namespace Voron.Storage.Replication.Tests;

/// <summary>The log of the simulation keeps the contract, without faults.</summary>
public sealed class SimulatedLogTests : LogContractTests
{
    private readonly SimulatedLog _log = new();

    protected override ValueTask<IReplicatedLog> OpenAsync() => new(_log.Connect());
}

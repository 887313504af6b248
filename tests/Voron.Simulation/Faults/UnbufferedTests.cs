using FluentAssertions;
using Voron.Storage;
using Xunit;

namespace Voron.Simulation.Faults;

public class UnbufferedTests
{
    [Theory]
    [InlineData(true, 1)]
    [InlineData(false, 0)]
    public void A_file_system_that_refuses_unbuffered_access_is_reported(bool refuses, int reports)
    {
        List<StorageEvent> events = [];
        SimDisk disk = new(1, new SimDiskOptions { RefusesUnbuffered = refuses });
        using StorageEnvironment environment = StorageEnvironment.Open(
            "/db", new StorageOptions { Engine = new() { Disk = disk, Background = false }, OnEvent = events.Add });
        events.Count(each => each.Kind == StorageEventKind.UnbufferedRefused).Should().Be(reports);
        environment.Check().Findings.Should().BeEmpty();
    }
}

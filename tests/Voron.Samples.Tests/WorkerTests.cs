using System.Globalization;
using System.Text.RegularExpressions;
using FluentAssertions;
using Voron.Storage;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Samples.Tests;

public sealed partial class WorkerTests
{
    [Fact]
    public void Events_are_written_and_old_ones_deleted()
    {
        using TemporaryFolder folder = new();
        string database = Path.Combine(folder.Path, "data");
        (long found, long written, long deleted, long kept) = Run(folder, "--Log:Keep", "1.00:00:00");
        (found, written, deleted, kept).Should().Be((0, 500, 0, 500));

        (found, written, deleted, kept) = Run(folder, "--Log:Keep", "00:00:00.02", "--Log:Sweep", "00:00:00.01");
        (found, written).Should().Be((500, 500));
        (deleted + kept).Should().Be(1_000);
        deleted.Should().BeGreaterThan(500, "the old ones, and some of the new ones");

        using StorageEnvironment storage = StorageEnvironment.Open(database);
        storage.Check().IsClean.Should().BeTrue();
        using ReadTransaction read = storage.BeginRead();
        read.OpenTree("events").Count.Should().Be(kept);
    }

    private static (long Found, long Written, long Deleted, long Kept) Run(TemporaryFolder folder, params string[] more)
    {
        string said = Sample.Run(Sample.Worker, folder.Path, ["--Log:Events", "500", .. more]);
        Match last = Last().Match(said);
        last.Success.Should().BeTrue("it said: {0}", said);
        return (Number("found"), Number("written"), Number("deleted"), Number("kept"));

        long Number(string name) => long.Parse(last.Groups[name].Value, CultureInfo.InvariantCulture);
    }

    [GeneratedRegex(@"^(?<found>\d+) events found, (?<written>\d+) written, (?<deleted>\d+) deleted, (?<kept>\d+) kept\.$",
        RegexOptions.Multiline)]
    private static partial Regex Last();
}

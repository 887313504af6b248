using System.Text.Json;
using FluentAssertions;
using Voron.Storage;
using Xunit;

namespace Voron.Cli.Tests;

public sealed class ReplicaTests : IDisposable
{
    private readonly TestDatabase _database = new();

    public void Dispose() => _database.Dispose();

    [Fact]
    public void A_node_tells_its_log_and_is_discarded_when_it_is_closed()
    {
        string full = _database.Beside("full");
        string node = _database.Beside("node");
        JsonElement backup = CliRun.Of("backup", _database.Path, full, "--json").Ends(ExitCode.Good).Json;
        CliRun.Of("restore", node, full, "--follower").Ends(ExitCode.Good);
        JsonElement json = CliRun.Of("replica", node, "--json").Ends(ExitCode.Good).Json;
        json.GetProperty("log").GetGuid().Should().Be(backup.GetProperty("databaseId").GetGuid());
        json.GetProperty("lastTransactionId").GetInt64().Should().Be(backup.GetProperty("transactionId").GetInt64());
        CliRun.Of("replica", node).Ends(ExitCode.Good).Output.Should().Contain(json.GetProperty("log").GetString());
        using (StorageEnvironment.Open(node))
        {
            CliRun.Of("replica", node, "--discard").Ends(ExitCode.Locked);
        }

        CliRun.Of("replica", node, "--discard").Ends(ExitCode.Good).Output.Should().Contain("Discarded");
        Directory.EnumerateFileSystemEntries(node).Should().BeEmpty();
        CliRun.Of("replica", node).Ends(ExitCode.NotFound);
    }

    [Fact]
    public void A_database_that_stands_alone_is_not_discarded()
    {
        CliRun.Of("replica", _database.Path).Ends(ExitCode.NotFound).Error.Should().Contain("follows no log");
        CliRun.Of("replica", _database.Path, "--discard").Ends(ExitCode.NotFound);
        CliRun.Of("replica", _database.Beside("none"), "--discard").Ends(ExitCode.NotFound).Error.Should().Contain("no folder");
        CliRun.Of("check", _database.Path).Ends(ExitCode.Good);
    }
}

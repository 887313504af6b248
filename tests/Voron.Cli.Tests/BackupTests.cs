using System.Text.Json;
using FluentAssertions;
using Voron.Storage;
using Xunit;

namespace Voron.Cli.Tests;

public sealed class BackupTests : IDisposable
{
    private readonly TestDatabase _database = new(isClosed: false);

    public void Dispose() => _database.Dispose();

    [Fact]
    public void What_is_backed_up_is_verified_and_restored()
    {
        string full = _database.Beside("full");
        string changes = _database.Beside("changes");
        string restored = _database.Beside("restored");
        long id = CliRun.Of("backup", _database.Path, full, "--json").Ends(ExitCode.Good).Json.GetProperty("transactionId").GetInt64();
        CliRun.Of("backup", _database.Path, full).Ends(ExitCode.Refused).Error.Should().Contain(full);
        CliRun.Of("backup", _database.Path, changes, "--after", "1").Ends(ExitCode.Good).Output.Should().Contain($"up to {id}");
        CliRun.Of("verify", full, changes).Ends(ExitCode.Good).Output.Should().Contain("is whole: all of").And.Contain("transactions of");
        JsonElement json = CliRun.Of("verify", full, changes, "--json").Ends(ExitCode.Good).Json;
        json.EnumerateArray().Select(static one => one.GetProperty("isFull").GetBoolean()).Should().Equal(true, false);
        CliRun.Of("verify", full, changes, "--deep").Ends(ExitCode.Good).Output.Should().Contain("Sound");
        CliRun.Of("verify", full, "--deep", "--json").Ends(ExitCode.Good).Json.GetProperty("isClean").GetBoolean().Should().BeTrue();
        CliRun.Of("restore", _database.Beside("then"), full, changes, "--to", "2999-01-01T00:00:00Z").Ends(ExitCode.Good).Output
            .Should().Contain($"up to transaction {id}");
        CliRun.Of("restore", restored, full, changes).Ends(ExitCode.Good).Output.Should().Contain($"up to transaction {id}");
        CliRun.Of("check", restored).Ends(ExitCode.Good);
        CliRun.Of("get", restored, "blobs", "stream").Ends(ExitCode.Good).Bytes.Should().Equal(TestDatabase.Long());
        CliRun.Of("restore", restored, full).Ends(ExitCode.Usage).Error.Should().Contain(restored);
        CliRun.Of("restore", _database.Beside("follower"), full, "--follower").Ends(ExitCode.Good).Output.Should().Contain("as a follower");
        CliRun.Of("put", _database.Beside("follower"), "users", "k", "v").Ends(ExitCode.Refused).Error.Should().Contain("PromoteAsync");
    }

    [Fact]
    public void What_is_not_there_or_not_whole_is_told()
    {
        string full = _database.Beside("full");
        string target = _database.Beside("target");
        CliRun.Of("backup", _database.Path, full).Ends(ExitCode.Good);
        CliRun.Of("backup", _database.Path, _database.Beside("x"), "--after", "1000000").Ends(ExitCode.Usage);
        File.Exists(_database.Beside("x")).Should().BeFalse();
        CliRun.Of("verify", _database.Beside("none")).Ends(ExitCode.NotFound).Error.Should().Contain("none");
        CliRun.Of("restore", target, full, "--to", "1000000").Ends(ExitCode.Usage);
        CliRun.Of("restore", target, full, "--to-time", "1999-01-01").Ends(ExitCode.Usage).Error.Should().Contain("earliest");
        CliRun.Of("restore", target, full, "--to", "soon").Ends(ExitCode.Usage).Error.Should().Contain("'soon'");
        CliRun.Of("verify", _database.Beside("none"), "--deep").Ends(ExitCode.NotFound);
        byte[] bytes = File.ReadAllBytes(full);
        File.WriteAllBytes(full, bytes[..^1]);
        CliRun.Of("verify", full).Ends(ExitCode.Damaged).Error.Should().Contain("ends after frame").And.NotContain("salvage");
        CliRun.Of("restore", target, full).Ends(ExitCode.Damaged);
        Directory.Exists(target).Should().BeFalse();
    }
}

using FluentAssertions;
using Microsoft.Extensions.Logging;
using Voron.Storage.Extensions.Telemetry;
using Xunit;

namespace Voron.Storage.Extensions.Tests.Telemetry;

/// <summary>What an operator reads: one event is one line.</summary>
public sealed class LogTests
{
    private const int LongestWithoutFolder = 120;

    [Fact]
    public async Task An_environments_life_is_a_few_short_lines()
    {
        using TestHost host = new();
        host.Services.AddVoronStorage(options =>
        {
            options.Path = "data";
            options.OpenWith = static (folder, settings) =>
            {
                StorageEnvironment environment = StorageEnvironment.Open(folder, settings);
                using (ReadTransaction old = environment.BeginRead())
                {
                    using WriteTransaction transaction = environment.BeginWrite();
                    transaction.OpenTree("t").Put("key"u8, "value"u8);
                    transaction.Commit();
                    environment.Checkpoint();
                }

                return environment;
            };
            options.ReaderWarningAge = TimeSpan.FromTicks(1);
        });
        await host.StartAsync();
        await host.Running.StopAsync();
        host.Log.All.Select(static line => line.Id).Should().Contain(10).And.Contain(14).And.Contain(1);
        foreach ((LogLevel _, int id, string text, Exception? error) in host.Log.All)
        {
            text.Should().NotContain("\n");
            text.Replace(host.Folder, string.Empty, StringComparison.Ordinal).Length.Should().BeLessThan(
                id == 17 ? 2 * LongestWithoutFolder : LongestWithoutFolder, text);
            error.Should().BeNull();
        }
    }

    [Theory]
    [InlineData(StorageEventKind.CheckpointFailed, true)]
    [InlineData(StorageEventKind.ClosedWithoutCheckpoint, false)]
    [InlineData(StorageEventKind.FileNotRemoved, false)]
    public void Only_an_error_brings_its_exception(StorageEventKind kind, bool isError)
    {
        using LogLines lines = new();
        StorageLog.Tell(lines, "orders", new StorageEvent(kind, "The reason.", new IOException()));
        (LogLevel level, int id, string text, Exception? error) = lines.All.Should().ContainSingle().Which;
        (level == LogLevel.Error, error is not null, id).Should().Be((isError, isError, 10 + (int)kind));
        text.Should().StartWith("Storage 'orders': ").And.EndWith("The reason.");
    }
}

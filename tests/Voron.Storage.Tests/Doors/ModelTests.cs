using System.Globalization;
using FluentAssertions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>More than a million random operations against a sorted dictionary; VORON_SEED repeats a run.</summary>
public class ModelTests(ITestOutputHelper output)
{
    /// <summary>
    /// Puts, adds, deletes and lookups of each of the runs; what scans and comparisons read comes on top and is not counted here.
    /// </summary>
    private const long OperationsPerRun = 300_000;

    [Theory]
    [InlineData(4096)]
    [InlineData(8192)]
    [InlineData(16384)]
    public void In_memory(int pageBytes)
    {
        StorageOptions options = new() { PageSize = pageBytes, JournalSoftLimitBytes = 1 << 20 };
        Run(() => StorageEnvironment.OpenInMemory(options), canReopen: false);
    }

    [Theory]
    [InlineData(4096, 64 << 10)]
    [InlineData(8192, 1 << 20)]
    public void On_files_with_checkpoints_all_the_time(int pageBytes, int softLimitBytes)
    {
        using TemporaryFolder folder = new();
        StorageOptions options = new() { PageSize = pageBytes, JournalSoftLimitBytes = softLimitBytes };
        ModelRun run = Run(() => StorageEnvironment.Open(folder.Path, options), canReopen: true);
        run.Checkpoints.Should().BeGreaterThan(5);
        run.Reopenings.Should().BeGreaterThan(0);
    }

    private ModelRun Run(Func<StorageEnvironment> open, bool canReopen)
    {
        string? given = Environment.GetEnvironmentVariable("VORON_SEED");
        int seed = given is null ? Random.Shared.Next() : (int)(ulong.Parse(given, CultureInfo.InvariantCulture) & int.MaxValue);
        output.WriteLine($"seed {seed}: VORON_SEED={seed} repeats it");
        ModelRun run = new(seed, open, canReopen);
        try
        {
            run.Run(OperationsPerRun);
        }
        catch (Exception error)
        {
            throw new InvalidOperationException(
                $"VORON_SEED={seed} repeats this, after {run.Operations} operations: {error.Message}", error);
        }

        output.WriteLine(
            $"{run.Operations} operations, {run.Reads} reads, {run.Commits} commits, {run.ReadersCompared} frozen copies compared, "
            + $"{run.Checkpoints} checkpoints, {run.Reopenings} reopenings");
        return run;
    }
}

using System.Diagnostics;
using System.Globalization;
using FluentAssertions;
using Voron.CrashWriter;
using Voron.Simulation.Crashes;
using Voron.Simulation.Engine;
using Voron.Simulation.Kills;
using Voron.Storage;
using Xunit;

namespace Voron.Simulation.Outside;

/// <summary>The lane of readers in other processes on a real disk, where the locks are the system's.</summary>
[Trait("Lane", "Kill")]
public sealed class OutsideTests
{
    public static TheoryData<ulong> Seeds => [.. SimSeed.List(3)];

    [Theory]
    [MemberData(nameof(Seeds))]
    public void Readers_on_a_real_disk_show_whole_transactions(ulong seed)
    {
        string folder = Directory.CreateTempSubdirectory("voron-outside-").FullName;
        try
        {
            using OutsideWorld world = new(disk: null, folder, seed);
            world.Run(200);
            world.Compared.Should().BePositive();
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    /// <summary>The writer is a process of its own and is killed; the next one opens beside the reader that is left.</summary>
    [Fact]
    public async Task A_reader_follows_writers_that_are_killed()
    {
        const ulong Seed = 7;
        string folder = Directory.CreateTempSubdirectory("voron-outside-").FullName;
        StorageEnvironment? reader = null;
        ScriptModel script = new(Seed);
        long acknowledged = 0;
        try
        {
            for (int life = 0; life < 4; life++)
            {
                using Process process = Process.Start(CrashProgram.Start(folder, Seed.ToString(CultureInfo.InvariantCulture)))!;
                MessageReader said = new(process.StandardOutput.BaseStream);
                Task reading = Task.Run(said.ReadToEnd);
                Stopwatch watch = Stopwatch.StartNew();
                while (said.Acknowledged < acknowledged + 40 && watch.Elapsed < TimeSpan.FromSeconds(60))
                {
                    reader ??= said.Acknowledged > 0 ? StorageEnvironment.Open(folder, new StorageOptions { ReadOnly = true }) : null;
                    Follow(reader, script, $"life {life}");
                }

                process.Kill();
                await process.WaitForExitAsync(TestContext.Current.CancellationToken);
                await reading.WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);
                said.Acknowledged.Should().BeGreaterThan(acknowledged, "the writer comes in beside the reader (life {0})", life);
                acknowledged = said.Acknowledged;
                Follow(reader, script, $"after life {life}");
            }

            reader!.Dispose();
            script.Verify(folder, acknowledged, "at the end");
        }
        finally
        {
            reader?.Dispose();
            Directory.Delete(folder, recursive: true);
        }
    }

    private static void Follow(StorageEnvironment? reader, ScriptModel script, string when)
    {
        if (reader is null)
        {
            return;
        }

        reader.Refresh();
        using (ReadTransaction transaction = reader.BeginRead())
        {
            long found = ScriptModel.LastIn(transaction);
            found.Should().BeGreaterThanOrEqualTo(script.Transaction, "a follower never goes back ({0})", when);
            script.AdvanceTo(found);
            script.Compare(transaction, when);
        }

        reader.Check().Findings.Should().BeEmpty(when);
    }

    [Fact]
    public void Readers_on_a_simulated_disk_come_in_the_middle_of_what_the_writer_does()
    {
        CrashStatistics statistics = OutsideLane.Run(EngineLane.States / 5);
        statistics.Opens.Should().BeGreaterThan(statistics.Workloads);
        statistics.Kills.Should().BePositive("a reader of an older checkpoint keeps a writer out");
    }
}

using System.Globalization;
using FluentAssertions;
using Voron.CrashWriter;
using Voron.Simulation.Crashes;
using Voron.Storage;
using Voron.Storage.Typed;
using Xunit;

namespace Voron.Simulation.Kills;

/// <summary>
/// kill -9 of a process that builds indexes and changes rows beside it, on real files. What is left has the acknowledged changes, indexes
/// that agree with the rows as far as they are built, and a build that goes on to its end. VORON_TABLE_KILLS sets how many, VORON_SEED
/// which.
/// </summary>
public class TableKillTests(ITestOutputHelper output)
{
    private const int KillsPerDatabase = 5;

    [Fact]
    [Trait("Lane", "Kill")]
    public async Task A_killed_build_goes_on_and_its_indexes_are_those_of_the_rows()
    {
        int kills = int.Parse(Environment.GetEnvironmentVariable("VORON_TABLE_KILLS") ?? "5", CultureInfo.InvariantCulture);
        ulong seed = SimSeed.GivenOrAny();
        string folder = Directory.CreateTempSubdirectory("voron-kill-tables-").FullName;
        try
        {
            Random random = new((int)seed);
            int inside = 0;
            for (int kill = 0; kill < kills; kill++)
            {
                string database = Path.Combine(folder, (kill / KillsPerDatabase).ToString(CultureInfo.InvariantCulture));
                MessageReader told = RunAndKill(database, seed, random.Next(1, 60));
                inside += told.IsInside ? 1 : 0;
                await RequireAsync(database, seed, told.Acknowledged, $"seed {seed}, kill {kill + 1}");
            }

            output.WriteLine($"{kills} kills, {inside} inside a build, seed {seed}");
            inside.Should().BeGreaterThanOrEqualTo(kills / 2, "half of the kills must hit a build (seed {0})", seed);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static MessageReader RunAndKill(string database, ulong seed, int milliseconds)
    {
        using Victim victim = new(database, "tables", seed.ToString(CultureInfo.InvariantCulture));
        victim.AwaitFirstAcknowledged();
        Thread.Sleep(milliseconds);
        victim.Kill();
        return victim.Told;
    }

    private static async Task RequireAsync(string database, ulong seed, long acknowledged, string when)
    {
        using StorageEnvironment environment = StorageEnvironment.Open(database);
        using (ReadTransaction read = environment.BeginRead())
        {
            long last = TableWriting.LastChange(read);
            last.Should().BeInRange(acknowledged, acknowledged + 1, "only one change was under way ({0})", when);
            Dictionary<int, KilledTable.Row> rows = ContentAfter(seed, last);
            ReadTable<int, KilledTable.Row> table = read.OpenTable(KilledTable.Indexed);
            table.Count.Should().Be(rows.Count, when);
            foreach (KilledTable.Row row in table)
            {
                row.Should().Be(rows[row.Id], when);
            }

            table.Check().Should().BeEmpty(when);
        }

        if (acknowledged % 2 == 0)
        {
            await environment.BuildIndexesAsync(KilledTable.Indexed);
            using ReadTransaction read = environment.BeginRead();
            read.OpenTable(KilledTable.Indexed).Check().Should().BeEmpty(when);
            KilledTable.EntriesOfIndexes(read).Should().Be(2L * KilledTable.Rows, when);
        }

        environment.Check().Findings.Should().BeEmpty(when);
    }

    private static Dictionary<int, KilledTable.Row> ContentAfter(ulong seed, long last)
    {
        Dictionary<int, KilledTable.Row> rows = Enumerable.Range(0, KilledTable.Rows).ToDictionary(static id => id, static id =>
            KilledTable.RowOf(id, 0));
        for (long change = 1; change <= last; change++)
        {
            foreach (int id in KilledTable.ChangedBy(seed, change))
            {
                rows[id] = KilledTable.RowOf(id, change);
            }
        }

        return rows;
    }
}

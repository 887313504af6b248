using FluentAssertions;
using Voron.Simulation.Crashes;
using Voron.Storage;
using Voron.Storage.Typed;
using Xunit;

namespace Voron.Simulation.Engine;

/// <summary>An index build that begins while the device still writes a commit of a program that knew of no index.</summary>
public sealed class IndexBuildBesideCommitTests
{
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task The_rows_of_a_commit_that_is_still_written_are_in_the_index()
    {
        SimDisk disk = new(1);
        using StorageEnvironment environment = StorageEnvironment.Open(
            EngineSubject.Directory, new StorageOptions { Engine = new() { Disk = disk } });
        using (WriteTransaction fill = environment.BeginWrite())
        {
            Table<int, TableRow> rows = fill.OpenTable(TableRow.Plain);
            for (int id = 0; id < 20; id++)
            {
                rows.Put(new TableRow(id, id, 1, 1, 0));
            }

            fill.Commit();
        }

        using ManualResetEventSlim held = new();
        using ManualResetEventSlim gate = new();
        disk.OnCall = (_, phase) =>
        {
            if (phase == SimPhase.Before && !held.IsSet)
            {
                held.Set();
                gate.Wait(Long);
            }
        };
        Task change = Task.Run(async () =>
        {
            using WriteTransaction transaction = environment.BeginWrite();
            transaction.OpenTable(TableRow.Plain).Put(new TableRow(7, 107, 2, 3, 0));
            await transaction.CommitAsync();
        });
        held.Wait(Long).Should().BeTrue("the commit goes to the device");
        Task build = Task.Run(() => environment.BuildIndexesAsync(TableRow.Indexed));

        // Long enough for a build that reads a snapshot without that commit; one that waits for it does not end before the gate opens.
        await Task.WhenAny(build, Task.Delay(TimeSpan.FromMilliseconds(300)));
        gate.Set();
        await change.WaitAsync(Long);
        await build.WaitAsync(Long);
        using ReadTransaction read = environment.BeginRead();
        read.OpenTable(TableRow.Indexed).Check().Should().BeEmpty();
        TableRow.EntriesOfIndexes(read).Should().Be(20 + 20 + 22);
    }
}

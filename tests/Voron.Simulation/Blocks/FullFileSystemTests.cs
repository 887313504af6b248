using System.Globalization;
using FluentAssertions;
using Voron.Simulation.Faults;
using Voron.Storage;
using Xunit;

namespace Voron.Simulation.Blocks;

/// <summary>
/// An ext4 of 8 MiB that has so much room and no more, for every amount there is in steps of VORON_ROOM_STEP bytes (default 128 KiB): each
/// step of the engine that finds it full says so, loses nothing, and is made again with success when something else was deleted.
/// </summary>
[Trait("Lane", "Room")]
public class FullFileSystemTests(ITestOutputHelper output)
{
    private const long FileSystemBytes = 8 << 20;

    private static long Step =>
        long.Parse(Environment.GetEnvironmentVariable("VORON_ROOM_STEP") ?? "131072", CultureInfo.InvariantCulture);

    [Fact]
    public void At_every_amount_of_room_the_engine_says_so_and_goes_on()
    {
        Assert.SkipUnless(BlockTools.ArePossible, BlockTools.Missing);
        using BlockWorkspace workspace = new();
        string empty = workspace.PathOf("empty.image");
        BlockFileSystem.Full.Make(empty, FileSystemBytes);
        int refused = 0;
        int amounts = 0;
        for (long room = 0; ; room += Step)
        {
            int met = Play(workspace, empty, room);
            amounts++;
            if (met == 0)
            {
                output.WriteLine($"{amounts} amounts of room up to {room} bytes, in steps of {Step}: {refused} refusals");
                break;
            }

            refused += met;
        }

        refused.Should().BeGreaterThan(10, "the sweep must meet full disks");
    }

    /// <summary>How many calls were refused when so many bytes were free at the beginning.</summary>
    private static int Play(BlockWorkspace workspace, string empty, long room)
    {
        string where = $"{room} bytes of room";
        string image = workspace.PathOf("full.image");
        File.Copy(empty, image, overwrite: true);
        using BlockMount mount = BlockFileSystem.Full.Mount(image, workspace.DirectoryOf("full"));
        string filler = Path.Combine(mount.Directory, "filler");
        LeaveRoom(filler, new DriveInfo(mount.Directory).AvailableFreeSpace - room);
        using RowBase rows = new(mount.Database);
        int refused = RefusedSteps.PlayThrough(StepsOf(rows), (attempt, error) =>
        {
            error.Message.Should().Contain(mount.Directory).And.Contain("Make room", where);
            if (rows.IsOpen)
            {
                rows.ExpectHere(where);
            }

            if (attempt > 0)
            {
                File.Delete(filler);
            }
        });
        rows.Close();
        rows.Open();
        rows.ExpectHere(where);
        return refused;
    }

    private static Action[] StepsOf(RowBase rows) =>
    [
        rows.Open, () => rows.Commit(1), () => rows.Commit(150), rows.Checkpoint, rows.HoldReader, () => rows.Commit(150), rows.Rewrite,
        rows.Checkpoint, rows.Rewrite, () => rows.Commit(3000), rows.Checkpoint, rows.ReleaseReader, () => rows.Commit(20), rows.Rewrite,
        rows.Checkpoint, rows.Close, rows.Open, () => rows.Commit(1), rows.Checkpoint,
    ];

    private static void LeaveRoom(string filler, long bytes) =>
        BlockTools.Run("/usr/bin/fallocate", "-l", Math.Max(1, bytes).ToString(CultureInfo.InvariantCulture), filler);
}

using FluentAssertions;
using Voron.Storage;

namespace Voron.Simulation.Blocks;

/// <summary>Three short lives on a device, one call of which fails; and what is found afterwards.</summary>
internal sealed class LyingSyncTrial(BlockWorkspace workspace, string image, bool isFlush)
{
    private const string Point = "lying";
    private readonly BlockFileSystem _system = BlockFileSystem.All[0];

    /// <summary>How many calls of the kind healthy lives make.</summary>
    internal long CountCalls()
    {
        using BlockDevice device = new(workspace, image);
        using BlockMount mount = Mount(device);
        using RowBase rows = new(mount.Database);
        long before = CallsOf(device);
        Live(rows).Should().BeNull("nothing fails");
        return CallsOf(device) - before;
    }

    /// <summary>Lets the call after so many fail; whether it was made, and whether the engine was told.</summary>
    internal (bool WasMet, bool HasStopped) FailAt(long call)
    {
        string where = $"{(isFlush ? "flush" : "write")} {call} failed";
        using BlockDevice device = new(workspace, image);
        RowBase rows = new(Path.Combine(workspace.DirectoryOf(Point), BlockMount.DatabaseName));
        bool hasStopped = false;
        OnMount(device, rows, where, () =>
        {
            Fail(device, call);
            if (Live(rows) is { } error)
            {
                where += $", told as {error.GetType().Name}: {error.Message}";
                hasStopped = !rows.IsOpen || HasStopped(rows, error, where);
            }

            Attempt(rows.Close);
            ReopenWithCache(rows, where);
        });
        OnMount(device, rows, where, () =>
        {
            rows.Open();
            rows.ExpectHere(where);
            rows.Settle();
            rows.Commit(5);
            rows.Checkpoint();
            rows.ExpectHere(where);
        });
        return (device.Counts().Failed > 0, hasStopped);
    }

    /// <summary>
    /// What was acknowledged can be read. A failure before anything counted on the file, as of a chunk that is only being made, stops
    /// nothing; one that leaves an outcome unknown must.
    /// </summary>
    private static bool HasStopped(RowBase rows, StorageException error, string where)
    {
        rows.ExpectHere(where);
        bool hasStopped = Attempt(rows.Overwrite) is not null;
        (hasStopped || error is not CommitOutcomeUnknownException).Should().BeTrue(where);
        return hasStopped;
    }

    /// <summary>
    /// The cache still shows what the device never got. The file system may have become read-only; then the error is one of the engine's.
    /// </summary>
    private static void ReopenWithCache(RowBase rows, string where)
    {
        StorageException? refused = Attempt(() =>
        {
            rows.Open();
            rows.ExpectHere(where);
            rows.Settle();
        });
        if (refused is null)
        {
            Attempt(() => rows.Commit(3));
            Attempt(rows.Checkpoint);
        }
    }

    private static StorageException? Live(RowBase rows) => Attempt(() =>
    {
        for (int round = 0; round < 3; round++)
        {
            rows.Open();
            rows.Commit(40);
            rows.Commit(400);
            rows.Checkpoint();
            rows.Rewrite();
            rows.Checkpoint();
            rows.Commit(5);
            rows.Close();
        }
    });

    private static StorageException? Attempt(Action action)
    {
        try
        {
            action();
            return null;
        }
        catch (StorageException error)
        {
            return error;
        }
    }

    private BlockMount Mount(BlockDevice device) => _system.Mount(device.Disk, workspace.DirectoryOf(Point));

    /// <summary>The database is closed before the file system goes, whatever was found.</summary>
    private void OnMount(BlockDevice device, RowBase rows, string where, Action action)
    {
        using BlockMount mount = Mount(device);
        try
        {
            action();
        }
        catch (StorageException error)
        {
            throw new InvalidOperationException(where, error);
        }
        finally
        {
            Attempt(rows.Close);
        }
    }

    private long CallsOf(BlockDevice device) => isFlush ? device.Counts().Flushes : device.Counts().Writes;

    private void Fail(BlockDevice device, long call)
    {
        if (isFlush)
        {
            device.FailFlushes(call, 1);
        }
        else
        {
            device.FailWrites(call, 1);
        }
    }
}

using FluentAssertions;
using Voron.Storage.Versions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>
/// What is replaced while a checkpoint runs: once the checkpoint has written a page to its place it needs the page's old version no more,
/// and memory lets go of it, unless a reader sees it.
/// </summary>
public sealed class CheckpointMemoryTests : IDisposable
{
    /// <summary>More pages than a checkpoint writes at once.</summary>
    private const int Keys = 20_000;

    private const int Looks = 40;
    private static readonly string Folder = Path.GetFullPath("/db");
    private static readonly string DataFile = Path.Combine(Folder, "data.voron");
    private readonly WatchedDisk _disk = new();

    public void Dispose() => _disk.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_was_written_to_its_place_leaves_memory_when_it_is_replaced(bool isRead)
    {
        using StorageEnvironment environment = Open();
        Rounds.Overwrite(environment, 0, Keys, round: 0);
        long before = environment.GetReport().DirtyBytes;
        long after = 0;
        using ReadTransaction? reader = isRead ? environment.BeginRead() : null;
        AmongPages("sync", () =>
        {
            Replace(environment, round: 1);
            after = environment.GetReport().DirtyBytes;
            Rounds.Expect(environment, Keys, round: 1);
            return IoError.Success;
        });
        environment.Checkpoint();
        if (reader is { } held)
        {
            after.Should().BeGreaterThan(before * 8 / 5, "the file may lose what is not synced, and the reader would miss it");
            Rounds.Expect(held, Keys, round: 0);
        }
        else
        {
            after.Should().BeLessThan(before * 8 / 5);
        }

        Rounds.Expect(environment, Keys, round: 1);
        environment.Checkpoint();
        environment.Check().Findings.Should().BeEmpty();
        Rounds.Expect(environment, Keys, round: 1);
    }

    /// <summary>The next checkpoint writes what replaced it; a crash before finds it in the journal.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_checkpoint_that_fails_afterwards_misses_nothing(bool isAsked)
    {
        using (StorageEnvironment environment = Open())
        {
            Rounds.Overwrite(environment, 0, Keys, round: 0);
            AmongPages("write", () =>
            {
                Replace(environment, round: 1);
                return new IoError(IoErrorKind.DiskFull, 28);
            });
            Action checkpoint = () => environment.Checkpoint();
            checkpoint.Should().Throw<StorageFullException>();
            Rounds.Expect(environment, Keys, round: 1);
            if (isAsked)
            {
                environment.Checkpoint();
                environment.Check().Findings.Should().BeEmpty();
            }
        }

        using StorageEnvironment again = Open();
        Rounds.Expect(again, Keys, round: 1);
        again.Check().Findings.Should().BeEmpty();
    }

    /// <summary>A checkpoint writes no page of a pending tree, so it keeps no version of one.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_checkpoint_keeps_nothing_that_is_only_in_memory(bool isRead)
    {
        // All that is pending is merged by each ninth transaction.
        const int Turn = 9;
        using StorageEnvironment environment = Open(pendingBytes: 64 << 20);
        Rounds.Overwrite(environment, 0, Keys, round: 0);
        while (environment.GetReport().LastTransactionId % Turn != 1)
        {
            Rounds.Overwrite(environment, 0, 1, round: 0);
        }

        Rounds.Overwrite(environment, 0, Keys, round: 0);
        environment.GetReport().PendingBytes.Should().BePositive();
        long before = environment.GetReport().DirtyBytes;
        long after = 0;
        using ReadTransaction? reader = isRead ? environment.BeginRead() : null;
        AmongPages("sync", () =>
        {
            Replace(environment, round: 1);
            after = environment.GetReport().DirtyBytes;
            return IoError.Success;
        });
        environment.Checkpoint();
        if (reader is { } held)
        {
            after.Should().BeGreaterThan(before * 6 / 5, "a reader sees both rounds");
            Rounds.Expect(held, Keys, round: 0);
        }
        else
        {
            after.Should().BeLessThan(before * 11 / 10);
        }

        Rounds.Expect(environment, Keys, round: 1);
        environment.Check().Findings.Should().BeEmpty();
    }

    /// <summary>What a checkpoint kept is freed by several transactions, so that none takes long.</summary>
    [Fact]
    public void What_a_checkpoint_kept_is_freed_in_parts()
    {
        const int ManyKeys = 300_000;
        const int MostAtOnce = 1100;
        using StorageEnvironment environment = Open();
        Rounds.Overwrite(environment, 0, ManyKeys, round: 0);
        environment.Checkpoint();
        long kept = environment.GetReport().RetainedVersions;
        kept.Should().BeGreaterThan(2 * MostAtOnce);
        while (kept > 0)
        {
            environment.BeginWrite().Dispose();
            long left = environment.GetReport().RetainedVersions;
            left.Should().BeInRange(Math.Max(kept - MostAtOnce, 0), kept - 1);
            kept = left;
        }

        Rounds.Expect(environment, ManyKeys, round: 0);
    }

    private StorageEnvironment Open(long? pendingBytes = null) => StorageEnvironment.Open(Folder, new StorageOptions
    {
        Engine = new() { Disk = _disk, Background = false, PendingBytes = pendingBytes },
    });

    /// <summary>
    /// Once in the middle of the next checkpoint: at a call to the data file, when pages were written to it and not only a header slot.
    /// </summary>
    private void AmongPages(string wanted, Func<IoError> action)
    {
        int writes = 0;
        _disk.OnCall = (call, path) =>
        {
            writes += call == "write" && path == DataFile ? 1 : 0;
            if (call != wanted || path != DataFile || writes < 3)
            {
                return IoError.Success;
            }

            _disk.OnCall = null;
            return action();
        };
    }

    /// <summary>Overwrites everything, and looks often enough at what was replaced: that happens from time to time only.</summary>
    private static void Replace(StorageEnvironment environment, int round)
    {
        Rounds.Overwrite(environment, 0, Keys, round);
        for (int look = 0; look < Looks; look++)
        {
            environment.BeginWrite().Dispose();
        }
    }
}

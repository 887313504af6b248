using FluentAssertions;
using Voron.Storage.Journal;
using Voron.Storage.Recovery;
using Voron.Storage.Tests.Commits;
using Xunit;

namespace Voron.Storage.Tests.Journal;

/// <summary>Reads of the commit journal that give less than the file's length promised: never a damaged chunk, never a torn tail.</summary>
public class ShortReadTests
{
    [Theory]
    [InlineData(10, "Only 10 of 80 bytes*")]
    [InlineData(4096, "Only 8192 of 65536 bytes*")]
    public void A_read_that_gives_less_is_refused(int limit, string message)
    {
        using JournalWorld world = JournalWorld.With("a", "b");
        world.Disk.ReadLimit = (_, read) => Math.Min(read, limit);
        Action read = () => world.Read();
        read.Should().Throw<StorageCorruptException>().WithMessage(message).Which.File.Should().Be(JournalWorld.PathOf(1));
    }

    [Fact]
    public void A_chunk_that_was_cut_after_its_header_was_judged_is_no_short_journal()
    {
        using JournalWorld world = JournalWorld.With("a", "b");
        AtSecondOpen(world, () =>
        {
            world.Disk.Files[JournalWorld.PathOf(1)] = world.Disk.Files[JournalWorld.PathOf(1)][..8192];
            return IoError.Success;
        });
        Action read = () => world.Read();
        read.Should().Throw<StorageCorruptException>().WithMessage("Only 8192 of 65536 bytes*");
    }

    [Fact]
    public void A_chunk_that_cannot_be_opened_any_more_is_an_error_of_the_disk()
    {
        using JournalWorld world = JournalWorld.With("a", "b");
        AtSecondOpen(world, static () => new IoError(IoErrorKind.Device, 5));
        Action read = () => world.Read();
        read.Should().Throw<StorageIOException>().Which.Message.Should().Contain(JournalWorld.PathOf(1));
    }

    /// <summary>Pieces are read ahead on another thread. One that failed there is read again by whoever needs it.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_read_ahead_that_fails_is_made_again(bool failsAgain)
    {
        using JournalWorld world = JournalWorld.With();
        List<string> bodies = [];
        for (int i = 0; i < 40; i++)
        {
            bodies.Add(new string((char)('a' + (i % 26)), 200_000));
            world.Commit(bodies[^1]);
        }

        Thread reader = Thread.CurrentThread;
        bool hasFailed = false;
        world.Disk.Fault = (call, _) =>
        {
            bool fails = call == "read" && (Thread.CurrentThread != reader || (hasFailed && failsAgain));
            hasFailed |= fails;
            return fails ? new IoError(IoErrorKind.Device, 5) : IoError.Success;
        };
        Action read = () =>
        {
            using CommitJournalReader journal = new(world.Files, default, readsAhead: true);
            JournalWorld.Read(journal, default).Bodies.Should().Equal(bodies);
        };
        if (failsAgain)
        {
            read.Should().Throw<StorageIOException>();
        }
        else
        {
            read();
        }

        hasFailed.Should().BeTrue("pieces were read ahead");
    }

    [Fact]
    public void No_record_is_longer_than_a_chunk_can_be()
    {
        Action count = static () => RecordLayout.RecordBytes(int.MaxValue);
        count.Should().Throw<ValueTooLongException>();
        RecordLayout.RecordBytes(0x7FF0_0000).Should().BePositive();
    }

    /// <summary>The first open judges the header of the chunk, the second one is for its records.</summary>
    private static void AtSecondOpen(JournalWorld world, Func<IoError> happens)
    {
        int opens = 0;
        world.Disk.Fault = (call, path) =>
            call == "open" && path == JournalWorld.PathOf(1) && ++opens == 2 ? happens() : IoError.Success;
    }
}

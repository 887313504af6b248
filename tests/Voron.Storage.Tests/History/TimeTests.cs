using System.Runtime.InteropServices;
using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Tests.Doors;
using Voron.Storage.Tests.Transfer;
using Xunit;

namespace Voron.Storage.Tests.History;

/// <summary>Times of commits: who notes them, what a feed shows of them, and restores up to a time.</summary>
public sealed class TimeTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly MovedTime _time = new();

    public void Dispose() => _folder.Dispose();

    private string Source => Path.Combine(_folder.Path, "source");

    private string Target => Path.Combine(_folder.Path, "target");

    [Fact]
    public async Task A_restore_to_a_time_has_what_was_committed_by_then()
    {
        using StorageEnvironment source = Open();
        Sample.Put(source, 0, 10);
        DateTimeOffset backedUp = _time.Now;
        (byte[] full, BackupReport report) = await Streams.FullAsync(source);
        List<byte[]> streams = [full];
        _time.Pass(1.5);
        List<(DateTimeOffset Until, long Id, string Content)> states = [(backedUp, report.TransactionId, Dumps.Entries(source))];
        for (int i = 1; i <= 6; i++)
        {
            _time.Pass(0.7);
            DateTimeOffset first = _time.Now;
            Sample.Put(source, 0, 10, valueBytes: 20 + i);

            // Within the same second: the next one notes no time of its own.
            Sample.Put(source, 10, 20, valueBytes: 20 + i);
            _time.Pass(1.5);
            states.Add((first, Newest(source), Dumps.Entries(source)));
            if (i % 2 == 0)
            {
                (byte[] changes, report) = await Streams.ChangesAsync(source, report.TransactionId);
                streams.Add(changes);
            }
        }

        foreach ((DateTimeOffset until, long id, string content) in states)
        {
            await ExpectAsync(until, id, content, streams);
            await ExpectAsync(until.AddSeconds(2.1), id, content, streams);
        }

        await ExpectAsync(_time.Pass(1000), Newest(source), Dumps.Entries(source), streams);
        Func<Task> early = () => Streams.RestoreAsync(
            Target, new RestoreOptions { UpToTime = backedUp.AddTicks(-1) }, [.. streams]);
        (await early.Should().ThrowAsync<ArgumentOutOfRangeException>()).WithMessage("*2026-01-02T03:04:05.3*earliest*");
        Directory.Exists(Target).Should().BeFalse();
    }

    [Fact]
    public async Task Times_go_on_after_a_reopening_and_through_a_follower()
    {
        StorageEnvironment source = Open();
        Sample.Put(source, 0, 10);
        (byte[] full, BackupReport report) = await Streams.FullAsync(source);
        await Streams.RestoreAsync(Target, new RestoreOptions { AsFollower = true }, full);
        DateTimeOffset first = _time.Pass(10);
        Sample.Put(source, 0, 20);
        string content = Dumps.Entries(source);
        long id = Newest(source);
        source.Database.Abandon();
        source = Open();
        _time.Pass(10);
        Sample.Put(source, 0, 30);
        (byte[] changes, _) = await Streams.ChangesAsync(source, report.TransactionId);
        (await TimesAsync(source, report.TransactionId)).Should().Equal(first, first.AddSeconds(10));
        source.Dispose();
        byte[] copied;
        using (StorageEnvironment follower = StorageEnvironment.Open(Target))
        {
            await follower.ApplyAsync(Streams.Reader(changes));
            (await TimesAsync(follower, report.TransactionId)).Should().Equal(first, first.AddSeconds(10));
            (copied, _) = await Streams.ChangesAsync(follower, report.TransactionId);
        }

        Directory.Delete(Target, recursive: true);
        await ExpectAsync(first.AddSeconds(1), id, content, [full, copied]);
    }

    [Fact]
    public async Task Without_a_reader_of_changes_nothing_is_noted_and_a_restore_says_so()
    {
        byte[] full;
        byte[] changes;
        using (StorageEnvironment source = Open())
        {
            Sample.Put(source, 0, 10);
            source.Checkpoint();
            Newest().Features.Should().Be(FormatFeatures.None);
            (full, _) = await Streams.FullAsync(source);
            Newest().Features.Should().Be(FormatFeatures.None, "a backup writes nothing to its source");
            TemporaryFolder.Copy(Source, Target + "-copy");
        }

        using (StorageEnvironment copy = StorageEnvironment.Open(Target + "-copy", new StorageOptions { TimeProvider = _time }))
        {
            _time.Pass(10);
            Sample.Put(copy, 0, 20);
            _time.Pass(10);
            (changes, _) = await Streams.ChangesAsync(copy, 1);
            (await TimesAsync(copy, 1)).Should().Equal((DateTimeOffset?)null);
        }

        Func<Task> between = () => Streams.RestoreAsync(Target, new RestoreOptions { UpToTime = _time.Now.AddSeconds(-5) }, full, changes);
        (await between.Should().ThrowAsync<ArgumentOutOfRangeException>()).WithMessage("*no times*");
        await Streams.RestoreAsync(Target, new RestoreOptions { UpToTime = _time.Now }, full, changes);
    }

    [Fact]
    public async Task A_commit_that_notes_its_time_first_names_the_feature()
    {
        using StorageEnvironment source = Open();
        await Streams.FullAsync(source);
        Sample.Put(source, 0, 1);
        Newest().Should().Match<HeaderSlot>(static slot => slot.FormatVersion == 2 && slot.Features == FormatFeatures.TimedCommits);
        using WriteTransaction transaction = source.BeginWrite();
        transaction.OpenTree(Sample.Tree);
        long before = Newest(source);
        transaction.Commit();
        Newest(source).Should().Be(before, "a time alone is no change");
    }

    private static long Newest(StorageEnvironment environment) => environment.GetReport().LastTransactionId;

    private static async Task<List<DateTimeOffset?>> TimesAsync(StorageEnvironment environment, long after)
    {
        List<DateTimeOffset?> times = [];
        long newest = Newest(environment);
        await foreach (ChangeSet set in environment.ReadChangesAsync(after))
        {
            times.Add(set.Time);
            if (set.TransactionId == newest)
            {
                break;
            }
        }

        return times;
    }

    private async Task ExpectAsync(DateTimeOffset upTo, long id, string content, List<byte[]> streams)
    {
        RestoreReport report = await Streams.RestoreAsync(Target, new RestoreOptions { UpToTime = upTo }, [.. streams]);
        report.TransactionId.Should().Be(id);
        using (StorageEnvironment restored = StorageEnvironment.Open(Target))
        {
            Dumps.Entries(restored).Should().Be(content);
            restored.GetReport().LastTransactionId.Should().Be(id);
        }

        Directory.Delete(Target, recursive: true);
    }

    private HeaderSlot Newest()
    {
        using FileStream file = new(Sample.DataOf(Source), FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        HeaderSlot newest = default;
        for (int i = 0; i < 2; i++)
        {
            byte[] bytes = new byte[HeaderSlot.SizeBytes];
            file.Position = i * 8192;
            file.ReadExactly(bytes);
            HeaderSlot slot = MemoryMarshal.Read<HeaderSlot>(bytes);
            newest = slot.Generation >= newest.Generation ? slot : newest;
        }

        return newest;
    }

    private StorageEnvironment Open() => StorageEnvironment.Open(Source, new StorageOptions { TimeProvider = _time });
}

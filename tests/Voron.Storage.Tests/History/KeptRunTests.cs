using System.IO.Pipelines;
using FluentAssertions;
using Voron.Storage.Tests.Doors;
using Voron.Storage.Tests.Transfer;
using Xunit;

namespace Voron.Storage.Tests.History;

/// <summary>Large values that are replaced and deleted while a named position has not passed the transactions that put them.</summary>
public sealed class KeptRunTests : IDisposable
{
    private const int ValueBytes = 100_000;

    private readonly TemporaryFolder _folder = new();
    private readonly List<StorageEvent> _events = [];

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(false, 1)]
    [InlineData(true, 2)]
    public async Task A_consumer_reads_all_values_whatever_became_of_them(bool closes, int seed)
    {
        using Follower follower = new();
        StorageEnvironment source = Open(1L << 30);
        Sample.Put(source, 0, 1);
        await follower.FollowAsync(source, 1);
        await source.KeepChangesFromAsync("follower", 1);
        Random random = new(seed);
        for (int round = 0; round < 8; round++)
        {
            for (int i = 0; i < 6; i++)
            {
                Replace(source, random);
                source.Checkpoint();
            }

            if (closes)
            {
                source.Dispose();
            }
            else
            {
                source.Database.Abandon();
            }

            source = Open(1L << 30);
        }

        await follower.FollowAsync(source, Newest(source));
        follower.Expect(source);
        (byte[] changes, _) = await Streams.ChangesAsync(source, 1);
        changes.Length.Should().BeGreaterThan(48 * ValueBytes);
        source.Check().Findings.Should().BeEmpty();

        // What the consumer has passed is given back.
        source.Database.Parts.Placed.Kept.Bytes.Should().BePositive();
        await source.KeepChangesFromAsync("follower", follower.Seen);
        Replace(source, random);
        await source.KeepChangesFromAsync("follower", Newest(source));
        source.Database.Parts.Placed.Kept.Bytes.Should().BeLessThan(12 * ValueBytes);
        source.Dispose();
        _events.Should().NotContain(static told => told.Kind == StorageEventKind.ChangesDropped);
    }

    [Fact]
    public async Task A_position_that_is_set_later_keeps_what_was_freed_already_and_is_still_there()
    {
        using Follower follower = new();
        using StorageEnvironment source = Open(1L << 30);
        Sample.Put(source, 0, 1);
        await follower.FollowAsync(source, 1);
        PutAll(source, 1);
        DeleteAll(source);
        await source.KeepChangesFromAsync("follower", 1);
        PutAll(source, 2);
        Replace(source, new Random(3));
        await follower.FollowAsync(source, Newest(source));
        follower.Expect(source);
    }

    [Fact]
    public async Task Without_a_position_the_space_is_used_again()
    {
        using StorageEnvironment source = Open(1L << 30);
        await source.KeepChangesFromAsync("follower", 0);
        Sample.Put(source, 0, 1);
        (await source.StopKeepingChangesAsync("follower")).Should().BeTrue();
        for (int i = 0; i < 30; i++)
        {
            PutAll(source, i);
            DeleteAll(source);
            source.Checkpoint();
        }

        source.GetReport().DataFileBytes.Should().BeLessThan(60 * ValueBytes);
        source.Database.Parts.Placed.Kept.Bytes.Should().Be(0);
    }

    /// <summary>Nothing but large values: the journal that they fill is short, so no checkpoint looks for long.</summary>
    [Fact]
    public async Task A_forgotten_consumer_never_fills_the_disk_with_large_values()
    {
        const int MostBytes = 40 * ValueBytes;
        using StorageEnvironment source = Open(MostBytes);
        Sample.Put(source, 0, 1);
        await source.KeepChangesFromAsync("forgotten", 1);
        for (int i = 0; i < 40; i++)
        {
            PutAll(source, i);
        }

        _events.Where(static told => told.Kind == StorageEventKind.ChangesDropped).Should().ContainSingle()
            .Which.Message.Should().Contain("'forgotten'").And.Contain("KeepChangesBytes");
        source.GetReport().DataFileBytes.Should().BeLessThan(4 * MostBytes);
        Func<Task> again = () => source.KeepChangesFromAsync("forgotten", 1).AsTask();
        await again.Should().NotThrowAsync("the journal has all its records");
        source.Check().Findings.Should().BeEmpty();
        Sample.Put(source, 0, 10);
    }

    private static long Newest(StorageEnvironment environment) => environment.GetReport().LastTransactionId;

    /// <summary>Replaces some values and deletes some, in two transactions that are too long for the journal.</summary>
    private static void Replace(StorageEnvironment source, Random random)
    {
        PutAll(source, random.Next());
        using WriteTransaction transaction = source.BeginWrite();
        Tree tree = transaction.OpenTree("large");
        for (int i = 0; i < 8; i++)
        {
            if (random.Next(3) == 0)
            {
                tree.Delete(Sample.Key(i));
            }
        }

        PipeWriter writer = tree.OpenValueWriter(Sample.Key(random.Next(8)));
        writer.WriteAsync(Sample.Value(ValueBytes, random.Next())).AsTask().GetAwaiter().GetResult();
        writer.Complete();
        transaction.Commit();
    }

    private static void PutAll(StorageEnvironment source, int seed)
    {
        using WriteTransaction transaction = source.BeginWrite();
        Tree tree = transaction.OpenTree("large");
        for (int i = 0; i < 8; i++)
        {
            tree.Put(Sample.Key(i), Sample.Value(ValueBytes, seed + i));
        }

        transaction.Commit();
    }

    private static void DeleteAll(StorageEnvironment source)
    {
        using WriteTransaction transaction = source.BeginWrite();
        transaction.DropTree("large").Should().BeTrue();
        transaction.Commit();
    }

    private StorageEnvironment Open(long keepBytes) => StorageEnvironment.Open(_folder.Path, new StorageOptions
    {
        KeepChangesBytes = keepBytes, OnEvent = _events.Add, Engine = new() { Background = false, JournalledBytes = 0 },
    });
}

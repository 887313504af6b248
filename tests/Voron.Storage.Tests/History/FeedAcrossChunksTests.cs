using FluentAssertions;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Storage.Tests.History;

/// <summary>A live consumer goes over from one chunk of the journal to the next while commits go on.</summary>
public sealed class FeedAcrossChunksTests : IDisposable
{
    private readonly WatchedDisk _disk = new();

    public void Dispose() => _disk.Dispose();

    /// <summary>Reading files there would let it fall behind: what it needs was written a moment ago, and memory has it.</summary>
    [Fact]
    public async Task It_reads_no_records_from_the_files()
    {
        const int Commits = 200;
        StorageOptions options = new() { Engine = new() { Disk = _disk, Background = false } };
        using StorageEnvironment environment = StorageEnvironment.Open("/db", options);
        IAsyncEnumerator<ChangeSet> feed = environment.ReadChangesAsync(0).GetAsyncEnumerator(TestContext.Current.CancellationToken);
        HashSet<string> chunks = [];
        int longest = 0;
        for (int i = 0; i < Commits; i++)
        {
            ValueTask<bool> next = feed.MoveNextAsync();
            next.IsCompleted.Should().BeFalse("nothing more is committed");
            _disk.OnWritten = (path, _) => chunks.Add(path);
            _disk.ReadLimit = i == 0 ? null : Note;
            Sample.Put(environment, i, i + 1, valueBytes: 10_000);
            (await next).Should().BeTrue();
            feed.Current.Last().Key.ToArray().Should().Equal(Sample.Key(i));
        }

        await feed.DisposeAsync();
        chunks.Count(static path => path.EndsWith(".commit", StringComparison.Ordinal)).Should().BeGreaterThan(3, "chunks were filled");
        longest.Should().BeLessThan(1000, "only the headers of chunks are read");

        int Note(string path, int read)
        {
            longest = path.EndsWith(".commit", StringComparison.Ordinal) ? Math.Max(longest, read) : longest;
            return read;
        }
    }
}

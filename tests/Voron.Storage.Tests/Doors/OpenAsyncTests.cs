using FluentAssertions;
using Voron.Storage.Engine;
using Xunit;

namespace Voron.Storage.Tests.Doors;

public sealed class OpenAsyncTests : IDisposable
{
    private const int Transactions = 1500;
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Progress_grows_to_the_end_of_what_there_was_to_replay()
    {
        Kill();
        Steps steps = new();
        List<StorageEvent> events = [];
        await using StorageEnvironment environment = await StorageEnvironment.OpenAsync(
            _folder.Path, new StorageOptions { OnEvent = events.Add }, steps);
        Sample.Expect(environment, Transactions);
        steps.Seen.Should().HaveCountGreaterThan(3);
        steps.Seen.Should().BeInAscendingOrder(static step => step.Transactions);
        steps.Seen.Should().BeInAscendingOrder(static step => step.JournalBytesRead);
        steps.Seen.Should().OnlyContain(static step => step.JournalBytesRead <= step.JournalBytes);
        steps.Seen[^1].Transactions.Should().Be(Transactions);
        steps.Seen[^1].JournalBytesRead.Should().Be(steps.Seen[^1].JournalBytes).And.BePositive();
        events.Should().ContainSingle(static told => told.Kind == StorageEventKind.Recovered)
            .Which.Message.Should().Contain($"{Transactions} transactions replayed");
    }

    [Fact]
    public async Task A_cancelled_open_leaves_every_file_as_it_was()
    {
        Kill();
        Dictionary<string, byte[]> before = Sample.Files(_folder);
        using CancellationTokenSource cancel = new();
        Steps steps = new();
        steps.OnStep = step =>
        {
            if (step.Transactions >= 512)
            {
                cancel.Cancel();
            }
        };
        Func<Task> open = async () => await StorageEnvironment.OpenAsync(_folder.Path, null, steps, cancel.Token);
        await open.Should().ThrowAsync<OperationCanceledException>();
        steps.Seen.Should().HaveCount(2);
        Dictionary<string, byte[]> after = Sample.Files(_folder);
        after.Keys.Should().BeEquivalentTo(before.Keys);
        foreach ((string path, byte[] content) in after)
        {
            content.AsSpan().SequenceEqual(before[path]).Should().BeTrue(path);
        }

        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path);
        Sample.Expect(environment, Transactions);
    }

    [Fact]
    public async Task A_token_that_was_cancelled_before_opens_and_creates_nothing()
    {
        string path = Path.Combine(_folder.Path, "none");
        Func<Task> open = async () => await StorageEnvironment.OpenAsync(path, cancellationToken: new CancellationToken(canceled: true));
        await open.Should().ThrowAsync<OperationCanceledException>();
        Directory.Exists(path).Should().BeFalse();
        Func<Task> noPath = async () => await StorageEnvironment.OpenAsync(" ");
        await noPath.Should().ThrowAsync<ArgumentException>();
    }

    /// <summary>Leaves a database with transactions behind its checkpoint, as a killed process would.</summary>
    private void Kill()
    {
        StorageEnvironment environment = StorageEnvironment.Open(_folder.Path);
        for (int i = 0; i < Transactions; i++)
        {
            Sample.Put(environment, i, i + 1, mode: CommitMode.Buffered);
        }

        environment.Database.Abandon();
    }

    private sealed class Steps : IProgress<RecoveryProgress>
    {
        internal List<RecoveryProgress> Seen { get; } = [];

        internal Action<RecoveryProgress>? OnStep { get; set; }

        public void Report(RecoveryProgress value)
        {
            Seen.Add(value);
            OnStep?.Invoke(value);
        }
    }
}

using FluentAssertions;
using Voron.Storage.Format;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Who is told of journal writes and checkpoints: of what was done, of what failed, and without a say in either.</summary>
public sealed class ObserverTests : IDisposable
{
    private readonly WatchedDisk _disk = new();

    public void Dispose() => _disk.Dispose();

    [Fact]
    public void Writes_and_checkpoints_are_told_and_nothing_else()
    {
        Recorder recorder = new();
        using StorageEnvironment environment = Open(recorder);
        Sample.Put(environment, 0, 10);
        Sample.Put(environment, 10, 20, mode: CommitMode.Buffered);
        recorder.Writes.Select(static write => (write.Commits, write.IsDurable)).Should().Equal((1, true), (1, false));
        recorder.Writes.Should().OnlyContain(static write => write.Bytes > 0 && write.Bytes % 4096 == 0);
        environment.Checkpoint();
        environment.Checkpoint();
        recorder.Checkpoints.Should().ContainSingle("the second one found nothing to do").Which.TransactionId.Should().Be(2);
    }

    [Fact]
    public void A_checkpoint_that_fails_is_told_with_its_error()
    {
        Recorder recorder = new();
        using StorageEnvironment environment = Open(recorder);
        Sample.Put(environment, 0, 500);
        _disk.OnCall = static (call, path) => call == "sync" && path.EndsWith("data.voron", StringComparison.Ordinal)
            ? new IoError(IoErrorKind.Device, 5) : IoError.Success;
        Action checkpoint = environment.Checkpoint;
        checkpoint.Should().Throw<StorageIOException>();
        recorder.Checkpoints.Should().ContainSingle().Which.Error.Should().BeOfType<StorageIOException>();
    }

    [Fact]
    public void What_it_throws_is_nobody_s_trouble()
    {
        Recorder recorder = new() { Throws = true };
        using StorageEnvironment environment = Open(recorder);
        Sample.Put(environment, 0, 10);
        environment.Checkpoint();
        recorder.Writes.Should().ContainSingle();
        recorder.Checkpoints.Should().ContainSingle();
        Sample.Expect(environment, 10);
    }

    /// <summary>The clock is looked at between the door, where the environment is still open, and the gate of checkpoints.</summary>
    [Fact]
    public void A_checkpoint_that_was_asked_for_just_before_the_close_finds_it_closed()
    {
        Recorder recorder = new();
        ClosingClock clock = new();
        StorageEnvironment environment = Open(recorder, clock);
        Sample.Put(environment, 0, 10);
        clock.Close = environment.Dispose;
        ((Action)environment.Checkpoint).Should().Throw<ObjectDisposedException>();
        recorder.Checkpoints.Select(static report => report.Error?.GetType()).Should().Equal(null, typeof(ObjectDisposedException));
        using StorageEnvironment again = Open(recorder);
        Sample.Expect(again, 10);
    }

    private StorageEnvironment Open(StorageObserver observer, TimeProvider? clock = null) => StorageEnvironment.Open(
        "/db",
        new StorageOptions
        {
            Engine = new() { Disk = _disk, Background = false },
            Observer = observer, TimeProvider = clock ?? TimeProvider.System,
        });

    private sealed class ClosingClock : TimeProvider
    {
        internal Action? Close { get; set; }

        public override long GetTimestamp()
        {
            Action? close = Close;
            Close = null;
            close?.Invoke();
            return base.GetTimestamp();
        }
    }

    private sealed class Recorder : StorageObserver
    {
        internal List<JournalWriteReport> Writes { get; } = [];

        internal List<CheckpointReport> Checkpoints { get; } = [];

        internal bool Throws { get; init; }

        public override void JournalWritten(in JournalWriteReport write) => Note(Writes, write);

        public override void CheckpointEnded(in CheckpointReport checkpoint) => Note(Checkpoints, checkpoint);

        private void Note<T>(List<T> reports, T report)
        {
            reports.Add(report);
            if (Throws)
            {
                throw new InvalidOperationException("An observer that cannot count.");
            }
        }
    }
}

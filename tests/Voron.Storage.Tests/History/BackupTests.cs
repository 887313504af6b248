using System.IO.Pipelines;
using FluentAssertions;
using Voron.Storage.IO;
using Voron.Storage.Tests.Doors;
using Voron.Storage.Tests.Transfer;
using Xunit;

namespace Voron.Storage.Tests.History;

public sealed class BackupTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    private string Target => Path.Combine(_folder.Path, "target");

    [Theory]
    [InlineData(51, null)]
    [InlineData(52, 5000)]
    public async Task Every_transaction_can_be_restored(int seed, int? fragmentBytes)
    {
        using StorageEnvironment source = Open(fragmentBytes);
        HistoryWorkload workload = new(seed, largestValue: 40_000);
        workload.Run(source, 30);
        (byte[] full, BackupReport report) = await Streams.FullAsync(source);
        report.TransactionId.Should().Be(Newest(source));
        report.Pages.Should().BePositive();
        Dictionary<long, string> contents = new() { [report.TransactionId] = Dumps.Entries(source) };
        List<byte[]> streams = [full];
        for (int i = 0; i < 4; i++)
        {
            for (int j = 0; j < 2; j++)
            {
                workload.Run(source, 3);
                contents[Newest(source)] = Dumps.Entries(source);
            }

            (byte[] changes, BackupReport next) = await Streams.ChangesAsync(source, report.TransactionId);
            next.DatabaseId.Should().Be(report.DatabaseId);
            next.Transactions.Should().Be(Newest(source) - report.TransactionId);
            streams.Add(changes);
            report = i == 2 ? report : next;
        }

        foreach ((long id, string content) in contents)
        {
            await Streams.RestoreAsync(Target, new RestoreOptions { UpToTransaction = id }, [.. streams]);
            Expect(id, content);
        }

        RestoreReport all = await Streams.RestoreAsync(Target, null, [.. streams]);
        all.TransactionId.Should().Be(Newest(source));
        Expect(Newest(source), Dumps.Entries(source));
    }

    [Fact]
    public async Task A_backup_is_of_one_snapshot_beside_writers_and_checkpoints()
    {
        using StorageEnvironment source = Open(null);
        new HistoryWorkload(61).Run(source, 100);
        string before = Dumps.Entries(source);
        Pipe pipe = new(new PipeOptions(pauseWriterThreshold: 1 << 20, resumeWriterThreshold: 1 << 19));
        Task<BackupReport> backup = source.BackupAsync(pipe.Writer, new BackupOptions { BytesPerSecond = 1L << 40 }).AsTask();
        for (int i = 0; i < 5; i++)
        {
            new HistoryWorkload(62 + i).Run(source, 20);
            source.Checkpoint();
        }

        MemoryStream stream = new();
        Task copy = pipe.Reader.CopyToAsync(stream, TestContext.Current.CancellationToken);
        BackupReport report = await backup;
        await pipe.Writer.CompleteAsync();
        await copy;
        report.Bytes.Should().Be(stream.Length);
        (await StorageBackup.VerifyAsync(Streams.Reader(stream.ToArray()))).Should().Be(report);
        await Streams.RestoreAsync(Target, null, stream.ToArray());
        Expect(report.TransactionId, before);
        source.GetReport().OpenReaders.Should().Be(0);
    }

    [Fact]
    public async Task A_restored_database_goes_on_and_has_an_id_of_its_own()
    {
        using StorageEnvironment source = Open(null);
        new HistoryWorkload(71).Run(source, 20);
        (byte[] full, BackupReport report) = await Streams.FullAsync(source);
        await Streams.RestoreAsync(Target, null, full);
        using StorageEnvironment restored = StorageEnvironment.Open(Target);
        (_, BackupReport own) = await Streams.FullAsync(restored);
        own.DatabaseId.Should().NotBe(report.DatabaseId);
        new HistoryWorkload(72).Run(restored, 20);
        restored.Database.Abandon();
        using StorageEnvironment reopened = StorageEnvironment.Open(Target);
        reopened.Check().Findings.Should().BeEmpty();
        Newest(reopened).Should().BeGreaterThan(report.TransactionId);
    }

    [Fact]
    public async Task An_empty_database_can_be_restored()
    {
        using StorageEnvironment source = Open(null);
        (byte[] full, BackupReport report) = await Streams.FullAsync(source);
        report.TransactionId.Should().Be(0);
        Sample.Put(source, 0, 10);
        (byte[] changes, _) = await Streams.ChangesAsync(source, 0);
        await Streams.RestoreAsync(Target, null, full, changes);
        Expect(1, Dumps.Entries(source));
    }

    [Fact]
    public async Task A_stream_that_is_cut_anywhere_is_refused_and_leaves_nothing()
    {
        using StorageEnvironment source = Open(null);
        new HistoryWorkload(81, largestValue: 100_000).Run(source, 10);
        (byte[] full, BackupReport report) = await Streams.FullAsync(source);
        new HistoryWorkload(82, largestValue: 100_000).Run(source, 3);
        (byte[] changes, _) = await Streams.ChangesAsync(source, report.TransactionId);
        foreach (byte[][] streams in new byte[][][] { [full], [full, changes] })
        {
            byte[] last = streams[^1];
            for (int i = 0; i < 24; i++)
            {
                byte[] cut = last[..(int)(i * (last.Length - 1L) / 23)];
                await Refused<BackupFormatException>(null, [.. streams[..^1], cut]);
                byte[] rotten = [.. last];
                rotten[i * (last.Length - 1) / 23] ^= 8;
                await Refused<BackupFormatException>(null, [.. streams[..^1], rotten]);
                Func<Task> verify = () => StorageBackup.VerifyAsync(Streams.Reader(rotten)).AsTask();
                await verify.Should().ThrowAsync<BackupFormatException>();
            }
        }

        await Streams.RestoreAsync(Target, null, full, changes);
        Expect(Newest(source), Dumps.Entries(source));
    }

    [Fact]
    public async Task Streams_that_do_not_belong_together_are_refused()
    {
        using StorageEnvironment source = Open(null);
        Sample.Put(source, 0, 10);
        (byte[] full, _) = await Streams.FullAsync(source);
        Sample.Put(source, 0, 10);
        Sample.Put(source, 0, 10);
        (byte[] later, _) = await Streams.ChangesAsync(source, 2);
        (byte[] all, _) = await Streams.ChangesAsync(source, 0);
        using StorageEnvironment stranger = StorageEnvironment.OpenInMemory();
        Sample.Put(stranger, 0, 10);
        Sample.Put(stranger, 0, 10);
        (byte[] foreign, _) = await Streams.ChangesAsync(stranger, 1);
        (await Refused<ChangesGoneException>(null, full, later)).Oldest.Should().Be(2);
        await Refused<ChangesGoneException>(null, full, foreign);
        await Refused<BackupFormatException>(null, all);
        await Refused<BackupFormatException>(null, full, full);
        await Refused<ArgumentOutOfRangeException>(new RestoreOptions { UpToTransaction = 4 }, full, all);
        await Refused<ArgumentOutOfRangeException>(new RestoreOptions { UpToTransaction = 0 }, full, all);
        Directory.CreateDirectory(Target);
        await File.WriteAllTextAsync(Path.Combine(Target, "mine"), "x", TestContext.Current.CancellationToken);
        Func<Task> occupied = () => Streams.RestoreAsync(Target, null, full);
        await occupied.Should().ThrowAsync<ArgumentException>();
        Directory.Delete(Target, recursive: true);
        await Streams.RestoreAsync(Target, null, full, all, later);
        Expect(3, Dumps.Entries(source));
    }

    [Fact]
    public async Task A_sink_that_fails_leaves_the_source_as_it_was()
    {
        using StorageEnvironment source = Open(null);
        new HistoryWorkload(91).Run(source, 50);
        Pipe pipe = new(new PipeOptions(pauseWriterThreshold: 100_000, resumeWriterThreshold: 50_000));
        Task<BackupReport> backup = source.BackupAsync(pipe.Writer).AsTask();
        await pipe.Reader.ReadAsync(TestContext.Current.CancellationToken);
        await pipe.Reader.CompleteAsync();
        await FluentActions.Awaiting(() => backup).Should().ThrowAsync<StorageIOException>();
        Func<Task> toDisk = () => source.BackupAsync(PipeWriter.Create(new FullDisk())).AsTask();
        await toDisk.Should().ThrowAsync<IOException>();
        Func<Task> changes = () => source.BackupChangesAsync(PipeWriter.Create(new FullDisk()), 0).AsTask();
        await changes.Should().ThrowAsync<IOException>();
        using CancellationTokenSource stop = new();
        await stop.CancelAsync();
        Func<Task> cancelled = () => source.BackupAsync(PipeWriter.Create(Stream.Null), cancellationToken: stop.Token).AsTask();
        await cancelled.Should().ThrowAsync<OperationCanceledException>();
        source.GetReport().OpenReaders.Should().Be(0);
        new HistoryWorkload(92).Run(source, 5);
        source.Check().Findings.Should().BeEmpty();
    }

    /// <summary>Each call of the disk is refused once, until a restore needs no more of them.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_restore_that_the_disk_refuses_leaves_nothing_and_can_be_tried_again(bool asFollower)
    {
        using StorageEnvironment source = Open(null);
        new HistoryWorkload(131, largestValue: 100_000).Run(source, 5);
        (byte[] full, BackupReport report) = await Streams.FullAsync(source);
        new HistoryWorkload(132, largestValue: 40_000).Run(source, 5);
        (byte[] changes, _) = await Streams.ChangesAsync(source, report.TransactionId);
        int refused = 0;
        for (int call = 1; ; call++)
        {
            call.Should().BeLessThan(1_000, "a restore needs no more calls after one that failed");
            RefusingDisk disk = new(call);
            StorageOptions settings = new() { Engine = new() { Disk = disk, Background = false } };
            RestoreOptions options = new() { AsFollower = asFollower, Storage = settings };
            try
            {
                await Streams.RestoreAsync(Target, options, full, changes);
            }
            catch (StorageException)
            {
                refused++;
            }

            // The database is complete before it gets its name, and after that only one more sync can be refused.
            if (!Directory.Exists(Target))
            {
                disk.HasRefused.Should().BeTrue();
                continue;
            }

            using (StorageEnvironment restored = StorageEnvironment.Open(Target))
            {
                Dumps.Entries(restored).Should().Be(Dumps.Entries(source));
                (restored.Database.Source is not null).Should().Be(asFollower);
            }

            Directory.Delete(Target, recursive: true);
            if (!disk.HasRefused)
            {
                break;
            }
        }

        refused.Should().BeGreaterThan(20);
    }

    [Fact]
    public async Task What_a_killed_restore_left_is_removed()
    {
        using StorageEnvironment source = Open(null);
        new HistoryWorkload(141, largestValue: 40_000).Run(source, 20);
        (byte[] full, _) = await Streams.FullAsync(source);
        source.Flush();
        TemporaryFolder.Copy(Path.Combine(_folder.Path, "source"), Target + ".restoring");
        await Streams.RestoreAsync(Target, null, full);
        Directory.Exists(Target + ".restoring").Should().BeFalse();
        Expect(Newest(source), Dumps.Entries(source));
    }

    private async Task<TException> Refused<TException>(RestoreOptions? options, params byte[][] streams)
        where TException : Exception
    {
        Func<Task> restore = () => Streams.RestoreAsync(Target, options, streams);
        TException refusal = (await restore.Should().ThrowAsync<TException>()).Which;
        Directory.Exists(Target).Should().BeFalse();
        File.Exists(Path.Combine(Target + ".restoring", "data.voron")).Should().BeFalse();
        return refusal;
    }

    private void Expect(long id, string content)
    {
        using (StorageEnvironment restored = StorageEnvironment.Open(Target))
        {
            Newest(restored).Should().Be(id);
            Dumps.Entries(restored).Should().Be(content);
            restored.Check().Findings.Should().BeEmpty();
        }

        Directory.Delete(Target, recursive: true);
    }

    private static long Newest(StorageEnvironment environment) => environment.GetReport().LastTransactionId;

    private StorageEnvironment Open(int? fragmentBytes) => StorageEnvironment.Open(
        Path.Combine(_folder.Path, "source"), new StorageOptions { Engine = new EngineSettings { FragmentBytes = fragmentBytes } });

    /// <summary>The system's disk, which refuses one call.</summary>
    private sealed class RefusingDisk(int refused) : IDisk
    {
        private readonly NativeDisk _inner = new();
        private int _calls;

        internal bool HasRefused => _calls >= refused;

        public IoError CreateDirectory(string path) => Ask() ?? _inner.CreateDirectory(path);

        public IoError OpenFile(string path, FileOpening opening, out IDiskFile? file)
        {
            file = null;
            return Ask() ?? _inner.OpenFile(path, opening, out file);
        }

        public IoError Rename(string from, string to) => Ask() ?? _inner.Rename(from, to);

        public IoError Delete(string path) => _inner.Delete(path);

        public IoError ListFiles(string directory, List<string> names) => Ask() ?? _inner.ListFiles(directory, names);

        public IoError SyncDirectory(string path) => Ask() ?? _inner.SyncDirectory(path);

        public void FillRandom(Span<byte> destination) => _inner.FillRandom(destination);

        private IoError? Ask() => ++_calls == refused ? new IoError(IoErrorKind.Device, 5) : null;
    }

    private sealed class FullDisk : MemoryStream
    {
        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
            throw new IOException("The disk is full.");
    }
}

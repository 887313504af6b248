using System.Text;
using FluentAssertions;
using Voron.Storage.IO;
using Voron.Storage.Tests.Doors;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Transfer;

public sealed class CopyTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(4096, null)]
    [InlineData(4096, 16384)]
    [InlineData(65536, 4096)]
    public async Task A_copy_has_the_same_entries_in_full_pages(int pageBytes, int? copyBytes)
    {
        using StorageEnvironment source = Filled(pageBytes);
        List<double> parts = [];
        StorageOptions options = new() { PageSize = copyBytes };
        CopyReport report = await source.CopyToAsync(Target, options, new Noted(parts));
        Expect(source, report, copyBytes ?? pageBytes);
        parts.Should().BeInAscendingOrder();
        parts[^1].Should().Be(1.0);
        Directory.Exists(Target + ".copying").Should().BeFalse();
        source.Dispose();
        IdOf(Target).Should().NotBe(IdOf(Source));
    }

    private void Expect(StorageEnvironment source, CopyReport report, int pageBytes)
    {
        using StorageEnvironment copy = StorageEnvironment.Open(Target);
        Dumps.Entries(copy).Should().Be(Dumps.Entries(source));
        copy.Check().Findings.Should().BeEmpty();
        copy.GetReport().PageBytes.Should().Be(pageBytes);
        report.FileBytes.Should().Be(new FileInfo(Path.Combine(Target, "data.voron")).Length);
        using ReadTransaction transaction = copy.BeginRead();
        report.Entries.Should().Be(transaction.TreeNameBytes.Sum(name => transaction.OpenTree(name).Count));
        report.Trees.Should().Be(4);
        report.TransactionId.Should().Be(2);
        transaction.OpenTree("users").GetReport().LeafFill.Should().BeGreaterThan(0.9);
        Action asSpan = () => transaction.OpenTree("values").Get("pieces"u8);
        asSpan.Should().Throw<ValueInPiecesException>("it was in pieces before");
        transaction.OpenTree("values").Get("run"u8)!.Length.Should().Be(3_000_000);
    }

    [Fact]
    public async Task A_copy_is_of_the_moment_of_the_call()
    {
        using StorageEnvironment source = Filled(4096);
        string before = Dumps.Entries(source);
        ValueTask<CopyReport> copying = source.CopyToAsync(Target);
        for (int i = 0; i < 50; i++)
        {
            using WriteTransaction transaction = source.BeginWrite();
            transaction.OpenTree("users").DeleteRange(Key(i * 400), Key((i + 1) * 400));
            transaction.OpenTree("users").Put(Key(i * 400), "new"u8);
            transaction.Commit(CommitMode.Buffered);
        }

        source.Checkpoint();
        await copying;
        using StorageEnvironment copy = StorageEnvironment.Open(Target);
        Dumps.Entries(copy).Should().Be(before);
        source.GetReport().OpenReaders.Should().Be(0);
    }

    [Fact]
    public async Task A_database_in_memory_and_one_that_only_reads_can_be_copied()
    {
        using (StorageEnvironment memory = StorageEnvironment.OpenInMemory())
        {
            using WriteTransaction transaction = memory.BeginWrite();
            transaction.OpenTree("t").Put("k"u8, "v"u8);
            transaction.Commit();
            await memory.CopyToAsync(Target);
        }

        string second = Directory.CreateDirectory(Target + "2").FullName;
        using (StorageEnvironment reader = StorageEnvironment.Open(Target, new StorageOptions { ReadOnly = true }))
        {
            if (OperatingSystem.IsWindows())
            {
                Directory.Delete(second);
            }

            (await reader.CopyToAsync(second + Path.DirectorySeparatorChar)).Entries.Should().Be(1);
        }

        using StorageEnvironment copy = StorageEnvironment.Open(second);
        Dumps.Entries(copy, "t").Should().Be("6b=76");
    }

    [Fact]
    public async Task An_empty_database_can_be_copied()
    {
        using StorageEnvironment source = StorageEnvironment.OpenInMemory();
        List<double> parts = [];
        (await source.CopyToAsync(Target, null, new Noted(parts))).Should().Match<CopyReport>(report => report.Trees == 0);
        parts.Should().Equal(1.0);
        using StorageEnvironment copy = StorageEnvironment.Open(Target, new StorageOptions { CreateIfMissing = false });
        copy.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public async Task A_target_with_files_is_refused()
    {
        using StorageEnvironment source = Filled(4096);
        Func<Task> itself = async () => await source.CopyToAsync(Source);
        await itself.Should().ThrowAsync<ArgumentException>().WithMessage("*files*new or empty folder*");
        Directory.CreateDirectory(Target);
        File.WriteAllText(Path.Combine(Target, "mine"), "mine");
        Func<Task> occupied = async () => await source.CopyToAsync(Target);
        await occupied.Should().ThrowAsync<ArgumentException>();
        File.ReadAllText(Path.Combine(Target, "mine")).Should().Be("mine");
        Func<Task> reading = async () => await source.CopyToAsync(Target, new StorageOptions { ReadOnly = true });
        await reading.Should().ThrowAsync<ArgumentException>().WithMessage("*ReadOnly*");
        source.GetReport().OpenReaders.Should().Be(0);
    }

    [Fact]
    public async Task A_cancelled_copy_leaves_no_database()
    {
        using StorageEnvironment source = Filled(4096);
        using CancellationTokenSource stop = new();
        Func<Task> copy = async () => await source.CopyToAsync(Target, null, new Stopping(stop), stop.Token);
        await copy.Should().ThrowAsync<OperationCanceledException>();
        Directory.Exists(Target).Should().BeFalse();
        Directory.GetFiles(Target + ".copying", "*.voron", SearchOption.AllDirectories).Should().BeEmpty();
        source.GetReport().OpenReaders.Should().Be(0);
        await source.CopyToAsync(Target);
        using StorageEnvironment again = StorageEnvironment.Open(Target);
        Dumps.Entries(again).Should().Be(Dumps.Entries(source));
    }

    [Fact]
    public async Task What_a_killed_copy_left_is_replaced_unless_it_still_runs()
    {
        using StorageEnvironment source = Filled(4096);
        string work = Target + ".copying";
        using (StorageEnvironment other = StorageEnvironment.Open(work, new StorageOptions { PageSize = 65536 }))
        {
            using WriteTransaction transaction = other.BeginWrite();
            transaction.OpenTree("half").Put("k"u8, "v"u8);
            transaction.Commit();
            Func<Task> beside = async () => await source.CopyToAsync(Target);
            await beside.Should().ThrowAsync<StorageLockedException>();
        }

        await source.CopyToAsync(Target);
        using StorageEnvironment copy = StorageEnvironment.Open(Target);
        Dumps.Entries(copy).Should().Be(Dumps.Entries(source));
        Directory.Exists(work).Should().BeFalse();
    }

    [Fact]
    public async Task A_key_that_is_too_long_for_smaller_pages_ends_the_copy()
    {
        using StorageEnvironment source = StorageEnvironment.OpenInMemory(new StorageOptions { PageSize = 16384 });
        using (WriteTransaction transaction = source.BeginWrite())
        {
            transaction.OpenTree("t").Put(new byte[1025], "v"u8);
            transaction.Commit();
        }

        Func<Task> copy = async () => await source.CopyToAsync(Target, new StorageOptions { PageSize = 4096 });
        await copy.Should().ThrowAsync<KeyTooLongException>();
        Directory.Exists(Target).Should().BeFalse();
    }

    [Theory]
    [InlineData(nameof(IDisk.ListFiles), "target")]
    [InlineData(nameof(IDisk.CreateDirectory), "target.copying")]
    [InlineData(nameof(IDisk.SyncDirectory), "target.copying")]
    [InlineData(nameof(IDisk.Rename), "target.copying")]
    public async Task A_copy_that_the_disk_refuses_leaves_no_database_and_can_be_tried_again(string call, string file)
    {
        using StorageEnvironment source = Filled(4096);
        RefusingDisk disk = new(call, Path.Combine(_folder.Path, file));
        StorageOptions options = new() { Engine = new() { Disk = disk } };
        Func<Task> copy = async () => await source.CopyToAsync(Target, options);
        (await copy.Should().ThrowAsync<StorageIOException>()).Which.Message.Should().Contain(file);
        disk.Refused.Should().BePositive();
        Directory.Exists(Target).Should().BeFalse();
        source.GetReport().OpenReaders.Should().Be(0);
        await source.CopyToAsync(Target);
        using StorageEnvironment again = StorageEnvironment.Open(Target);
        Dumps.Entries(again).Should().Be(Dumps.Entries(source));
    }

    [Fact]
    public async Task What_cannot_be_deleted_of_a_failed_copy_does_not_hide_the_failure()
    {
        using StorageEnvironment source = Filled(4096);
        RefusingDisk disk = new(nameof(IDisk.Rename), Target + ".copying") { RefusesDeletes = true };
        Func<Task> copy = async () => await source.CopyToAsync(Target, new StorageOptions { Engine = new() { Disk = disk } });
        (await copy.Should().ThrowAsync<StorageIOException>()).Which.Message.Should().Contain("rename");
        Directory.Exists(Target).Should().BeFalse();
        await source.CopyToAsync(Target);
        using StorageEnvironment again = StorageEnvironment.Open(Target);
        Dumps.Entries(again).Should().Be(Dumps.Entries(source));
    }

    private string Source => Path.Combine(_folder.Path, "source");

    private string Target => Path.Combine(_folder.Path, "target");

    private static byte[] Key(int number) => Encoding.ASCII.GetBytes($"user:{number:d8}");

    private static string IdOf(string folder) => StorageInspection.ReadPage(folder, 0).Fields
        .Single(static field => field.Key == "DatabaseId").Value;

    private StorageEnvironment Filled(int pageBytes)
    {
        StorageEnvironment environment = StorageEnvironment.Open(Source, new StorageOptions { PageSize = pageBytes });
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Random random = new(pageBytes);
            Tree users = transaction.OpenTree("users");
            for (int i = 0; i < 60_000; i++)
            {
                users.Put(Key(random.Next(60_000)), new byte[random.Next(200)]);
            }

            byte[] large = new byte[3_000_000];
            random.NextBytes(large);
            Tree values = transaction.OpenTree("values");
            values.Put("run"u8, large);
            values.OpenValueWriter("pieces"u8).WriteWhole(large);
            values.Put("zz"u8, large.AsSpan(0, 30_000));
            transaction.OpenTree("empty");
            transaction.Commit();
        }

        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.OpenTree([0xFF, 0]).Put([], []);
            transaction.Commit();
        }

        return environment;
    }

    /// <summary>The system's disk, which refuses one call for one path.</summary>
    private sealed class RefusingDisk(string call, string refusedPath) : IDisk
    {
        private readonly NativeDisk _inner = new();

        internal bool RefusesDeletes { get; init; }

        internal int Refused { get; private set; }

        public IoError CreateDirectory(string path) => Ask(nameof(CreateDirectory), path) ?? _inner.CreateDirectory(path);

        public IoError OpenFile(string path, FileOpening opening, out IDiskFile? file) => _inner.OpenFile(path, opening, out file);

        public IoError Rename(string from, string to) => Ask(nameof(Rename), from) ?? _inner.Rename(from, to);

        public IoError Delete(string path) => RefusesDeletes ? new IoError(IoErrorKind.AccessDenied, 13) : _inner.Delete(path);

        public IoError ListFiles(string directory, List<string> names) =>
            Ask(nameof(ListFiles), directory) ?? _inner.ListFiles(directory, names);

        public IoError SyncDirectory(string path) => Ask(nameof(SyncDirectory), path) ?? _inner.SyncDirectory(path);

        public void FillRandom(Span<byte> destination) => _inner.FillRandom(destination);

        private IoError? Ask(string asked, string path)
        {
            if (asked != call || path != refusedPath)
            {
                return null;
            }

            Refused++;
            return new IoError(IoErrorKind.AccessDenied, 13);
        }
    }

    private sealed class Noted(List<double> parts) : IProgress<double>
    {
        public void Report(double value) => parts.Add(value);
    }

    private sealed class Stopping(CancellationTokenSource stop) : IProgress<double>
    {
        public void Report(double value) => stop.Cancel();
    }
}

using FluentAssertions;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>
/// Every exception that the doors throw says what happened, where, and what the user can do. Those that need a failing disk are proved
/// beside it.
/// </summary>
public sealed class MessageTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public static TheoryData<string, string, string> Kinds => new()
    {
        { nameof(StorageLockedException), "PATH", "Close that one first" },
        { nameof(NotADatabaseException), "PATH", "Choose another folder" },
        { nameof(FormatVersionException), "PATH", "Open it with the version" },
        { nameof(StorageCorruptException), "PATH", "Restore a backup" },
        { nameof(CorruptJournalException), "PATH", "estore a backup" },
        { nameof(StorageIOException), "PATH", "choose another path" },
        { nameof(StorageBusyException), "1 read", "end them and dispose again" },
        { nameof(StorageReadOnlyException), "PATH", "Open it without that option" },
        { nameof(TreeNotFoundException), "'missing'", "TryOpenTree" },
        { nameof(DumpFormatException), "Line 1", "LoadOptions.JsonKey" },
        { nameof(KeyTooLongException), "2048", "Limits" },
        { nameof(ValueInPiecesException), "page", "TryOpenValueReader" },
        { nameof(TimeoutException), "1 ms", "end that one, or wait longer" },
        { nameof(ObjectDisposedException), "ended", "Begin a new one" },
        { nameof(InvalidOperationException), "enumeration", "begin a new enumeration" },
        { nameof(ArgumentException), "PATH", "Leave StorageOptions.PageSize null" },
        { nameof(ArgumentOutOfRangeException), "PageSize", "4096" },
    };

    public void Dispose() => _folder.Dispose();

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Says_what_happened_where_and_what_to_do(string kind, string where, string advice)
    {
        Exception error = Record.Exception(() => Provoke(kind))!;
        error.GetType().Name.Should().Be(kind);
        error.Message.Should().Contain(where == "PATH" ? _folder.Path : where).And.Contain(advice);
        error.Message.Length.Should().BeGreaterThan(40);
    }

    [Fact]
    public void The_whole_family_is_provoked_here_or_on_the_simulated_disk()
    {
        string[] elsewhere =
        [
            nameof(StorageFullException), nameof(StoragePoisonedException), nameof(TransactionPoisonedException),
            nameof(CommitOutcomeUnknownException),
        ];

        // Those of backups and of change feeds: the tests of History.
        string[] ofHistory = [nameof(BackupFormatException), nameof(ChangesGoneException)];

        // One kind of tree, and no span is longer than the longest value: nothing can throw these yet.
        string[] reserved = [nameof(TreeKindMismatchException), nameof(ValueTooLongException)];
        IEnumerable<string> family = typeof(StorageException).Assembly.GetExportedTypes()
            .Where(static type => type.IsSubclassOf(typeof(StorageException))).Select(static type => type.Name);
        string[] here = [.. Kinds.Select(static row => row.Data.Item1)];
        family.Except(here).Should().BeEquivalentTo([.. elsewhere, .. ofHistory, .. reserved]);
    }

    [Fact]
    public void Failed_disk_calls_are_told_with_path_code_and_advice()
    {
        foreach (IoErrorKind kind in Enum.GetValues<IoErrorKind>().Except([IoErrorKind.None]))
        {
            string message = global::Voron.Storage.IO.Throw.Make(new IoError(kind, 77), "write", "/some/file", 4096).Message;
            message.Should().Contain("/some/file");
            message.Length.Should().BeGreaterThan(60, "{0} has an advice", kind);
        }
    }

    private void Provoke(string kind)
    {
        switch (kind)
        {
            case nameof(NotADatabaseException):
                File.WriteAllText(Sample.Data(_folder), "text");
                StorageEnvironment.Open(_folder.Path).Dispose();
                break;
            case nameof(StorageIOException):
                File.WriteAllText(Path.Combine(_folder.Path, "file"), "text");
                StorageEnvironment.Open(Path.Combine(_folder.Path, "file", "below")).Dispose();
                break;
            case nameof(StorageReadOnlyException):
                StorageEnvironment.Open(_folder.Path).Dispose();
                using (StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, new StorageOptions { ReadOnly = true }))
                {
                    environment.BeginWrite();
                }

                break;
            case nameof(FormatVersionException) or nameof(StorageCorruptException):
            case nameof(CorruptJournalException) or nameof(ArgumentException):
                ProvokeByFiles(kind);
                break;
            default:
                using (StorageEnvironment environment = StorageEnvironment.Open(
                    _folder.Path, new StorageOptions { DisposeTimeout = TimeSpan.FromMilliseconds(10) }))
                {
                    ProvokeOpen(kind, environment);
                }

                break;
        }
    }

    private void ProvokeOpen(string kind, StorageEnvironment environment)
    {
        if (kind == nameof(StorageLockedException))
        {
            StorageEnvironment.Open(_folder.Path);
        }

        if (kind == nameof(ArgumentOutOfRangeException))
        {
            StorageEnvironment.OpenInMemory(new StorageOptions { PageSize = 3 });
        }

        if (kind == nameof(StorageBusyException))
        {
            using ReadTransaction reader = environment.BeginRead();
            environment.Dispose();
        }

        if (kind == nameof(TreeNotFoundException))
        {
            using ReadTransaction reader = environment.BeginRead();
            reader.OpenTree("missing");
        }

        if (kind == nameof(DumpFormatException))
        {
            System.IO.Pipelines.PipeReader text = System.IO.Pipelines.PipeReader.Create(new MemoryStream("text\n"u8.ToArray()));
            StorageDump.LoadAsync(environment, text).AsTask().GetAwaiter().GetResult();
        }

        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("t");
        tree.Put("a"u8, "b"u8);
        switch (kind)
        {
            case nameof(KeyTooLongException):
                tree.Put(new byte[3000], default);
                break;
            case nameof(ValueInPiecesException):
                System.IO.Pipelines.PipeWriter writer = tree.OpenValueWriter("k"u8);
                System.Buffers.BuffersExtensions.Write(writer, new byte[3 << 20]);
                writer.Complete();
                tree.Get("k"u8);
                break;
            case nameof(TimeoutException):
                environment.BeginWrite(TimeSpan.FromMilliseconds(1));
                break;
            case nameof(ObjectDisposedException):
                transaction.Commit();
                transaction.Commit();
                break;
            default:
                foreach ((_, _) in tree)
                {
                    tree.Put("c"u8, "d"u8);
                }

                break;
        }
    }

    private void ProvokeByFiles(string kind)
    {
        using (StorageEnvironment environment = StorageEnvironment.Open(_folder.Path))
        {
            Sample.Put(environment, 0, 100);
        }

        byte[] file = File.ReadAllBytes(Sample.Data(_folder));
        switch (kind)
        {
            case nameof(FormatVersionException):
                file[16] = 9;
                file[8192 + 16] = 9;
                File.WriteAllBytes(Sample.Data(_folder), file);
                break;
            case nameof(StorageCorruptException):
                File.WriteAllBytes(Sample.Data(_folder), file[..20_000]);
                break;
            case nameof(CorruptJournalException):
                Array.ForEach(Directory.GetFiles(Sample.Journal(_folder), "*.commit"), File.Delete);
                break;
        }

        StorageEnvironment.Open(_folder.Path, new StorageOptions { PageSize = kind == nameof(ArgumentException) ? 4096 : null }).Dispose();
    }
}

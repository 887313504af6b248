using System.Security.Cryptography;
using FluentAssertions;
using Voron.Storage.Engine;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>
/// The folder of an open database is moved, removed or replaced. The environment goes on with the files it has opened and never touches
/// what has their paths by then.
/// </summary>
public sealed class MovedFolderTests : IDisposable
{
    private const int Before = 50;
    private const int After = 400;
    private const int ValueBytes = 3000;

    private readonly TemporaryFolder _folder = new();

    private string Database => Path.Combine(_folder.Path, "db");

    private string Moved => Path.Combine(_folder.Path, "moved");

    public MovedFolderTests() => Assert.SkipWhen(OperatingSystem.IsWindows(), "An open folder cannot be moved on Windows.");

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_backup_at_the_old_path_is_not_touched_by_the_environment_that_was_moved_away(bool diesInIt)
    {
        string backup = MakeBackup();
        using (StorageEnvironment environment = StorageEnvironment.Open(Database, Options))
        {
            Directory.Move(Database, Moved);
            TemporaryFolder.Copy(backup, Database);
            Dictionary<string, string> restored = ContentOf(Database);
            Work(environment);
            ContentOf(Database).Should().BeEquivalentTo(restored);
            if (diesInIt)
            {
                environment.Database.Abandon();
            }

            environment.Dispose();
            ContentOf(Database).Should().BeEquivalentTo(restored);
        }

        ExpectRows(Database, Before);
        ExpectRows(Moved, After);
        ExpectRows(Database, Before);
    }

    [Fact]
    public void Two_environments_work_side_by_side_when_the_first_was_moved_away()
    {
        string backup = MakeBackup();
        using (StorageEnvironment first = StorageEnvironment.Open(Database, Options))
        {
            Directory.Move(Database, Moved);
            TemporaryFolder.Copy(backup, Database);
            using StorageEnvironment second = StorageEnvironment.Open(Database, Options);
            Work(first);
            Work(second);
            Sample.Expect(second, After, ValueBytes);
            Sample.Expect(first, After, ValueBytes);
        }

        ExpectRows(Database, After);
        ExpectRows(Moved, After);
    }

    [Fact]
    public void A_database_under_a_link_is_the_one_that_the_link_led_to_at_the_open()
    {
        string backup = MakeBackup();
        string link = Path.Combine(_folder.Path, "link");
        Directory.CreateSymbolicLink(link, Database);
        using (StorageEnvironment environment = StorageEnvironment.Open(link, Options))
        {
            Directory.Delete(link);
            Directory.CreateSymbolicLink(link, backup);
            Dictionary<string, string> other = ContentOf(backup);
            Work(environment);
            environment.Dispose();
            ContentOf(backup).Should().BeEquivalentTo(other);
        }

        ExpectRows(link, Before);
        ExpectRows(Database, After);
    }

    [Fact]
    public void A_journal_folder_that_took_the_place_of_the_open_one_is_not_touched()
    {
        string backup = MakeBackup();
        string journal = Path.Combine(Database, "journal");
        string away = Path.Combine(_folder.Path, "journal-away");
        using (StorageEnvironment environment = StorageEnvironment.Open(Database, Options))
        {
            Directory.Move(journal, away);
            TemporaryFolder.Copy(Path.Combine(backup, "journal"), journal);
            Dictionary<string, string> other = ContentOf(journal);
            Work(environment);
            environment.Dispose();
            ContentOf(journal).Should().BeEquivalentTo(other);
        }

        Directory.Delete(journal, recursive: true);
        Directory.Move(away, journal);
        ExpectRows(Database, After);
    }

    [Fact]
    public void A_journal_folder_may_be_a_link_to_another_place()
    {
        MakeBackup();
        string journal = Path.Combine(Database, "journal");
        string elsewhere = Path.Combine(_folder.Path, "elsewhere");
        Directory.Move(journal, elsewhere);
        Directory.CreateSymbolicLink(journal, elsewhere);
        using (StorageEnvironment environment = StorageEnvironment.Open(Database, Options))
        {
            Work(environment);
        }

        ExpectRows(Database, After);
        Directory.GetFiles(elsewhere, "*.commit").Should().NotBeEmpty();
    }

    [Fact]
    public void In_a_folder_that_was_removed_nothing_more_is_made_and_a_new_one_at_its_path_stays_empty()
    {
        MakeBackup();
        StorageEnvironment environment = StorageEnvironment.Open(Database, Options);
        Remove(Database);
        Directory.CreateDirectory(Path.Combine(Database, "journal"));
        Action work = () => Work(environment);
        work.Should().Throw<StorageException>();
        environment.Dispose();
        Directory.EnumerateFiles(Database, "*", SearchOption.AllDirectories).Should().BeEmpty();
    }

    /// <summary>The next chunk may be made meanwhile: then the folder is not empty where it should be, once.</summary>
    private static void Remove(string folder)
    {
        while (Directory.Exists(folder))
        {
            try
            {
                Directory.Delete(folder, recursive: true);
            }
            catch (IOException)
            {
                Thread.Sleep(1);
            }
        }
    }

    [Fact]
    public void A_read_only_environment_reads_on_in_the_folder_that_was_moved_away()
    {
        MakeBackup();
        StorageEnvironment killed = StorageEnvironment.Open(Database, Options);
        Work(killed);
        killed.Database.Abandon();
        using StorageEnvironment environment = StorageEnvironment.Open(Database, new StorageOptions { ReadOnly = true });
        Directory.Move(Database, Moved);
        Directory.CreateDirectory(Path.Combine(Database, "journal"));
        Sample.Expect(environment, After, ValueBytes);
        using StorageEnvironment another = StorageEnvironment.Open(Moved, new StorageOptions { ReadOnly = true });
        Sample.Expect(another, After, ValueBytes);
        Directory.EnumerateFiles(Database, "*", SearchOption.AllDirectories).Should().BeEmpty();
    }

    /// <summary>Small limits, so that little work goes over several chunks, and large values come to spill files.</summary>
    private static StorageOptions Options => new()
    {
        MaxDirtyBytes = 1 << 20, JournalSoftLimitBytes = 256 << 10, JournalHardLimitBytes = 16 << 20,
    };

    /// <summary>The hash of each file: to compare files byte by byte is too much for assertions.</summary>
    private static Dictionary<string, string> ContentOf(string folder) => Directory
        .EnumerateFiles(folder, "*", SearchOption.AllDirectories)
        .ToDictionary(
            path => Path.GetRelativePath(folder, path),
            static path => Convert.ToHexString(SHA256.HashData(File.ReadAllBytes(path))),
            StringComparer.Ordinal);

    private static void ExpectRows(string path, int rows)
    {
        using StorageEnvironment environment = StorageEnvironment.Open(path);
        Sample.Expect(environment, rows, ValueBytes);
    }

    /// <summary>Commits, checkpoints, new chunks, chunks that are not needed any more, and a spill file.</summary>
    private static void Work(StorageEnvironment environment)
    {
        using (ReadTransaction held = environment.BeginRead())
        {
            for (int from = Before; from < After; from += 50)
            {
                Sample.Put(environment, from, from + 50, ValueBytes);
                environment.Checkpoint();
            }

            Sample.Put(environment, 0, After, ValueBytes);
        }

        environment.Checkpoint();
        environment.Checkpoint();
    }

    /// <summary>Makes the database, and a copy of it that is closed like it.</summary>
    private string MakeBackup()
    {
        using (StorageEnvironment environment = StorageEnvironment.Open(Database, Options))
        {
            Sample.Put(environment, 0, Before, ValueBytes);
        }

        string backup = Path.Combine(_folder.Path, "backup");
        TemporaryFolder.Copy(Database, backup);
        return backup;
    }
}

using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using FluentAssertions;
using Voron.CrashWriter;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Paths, locks and files that are in the way.</summary>
public sealed class OpeningTests : IDisposable
{
    /// <summary>As docs/limits.md says.</summary>
    private const int MostMapsWhenOpen = 2;
    private const int MostMapsAfterCommit = 6;

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void A_second_open_is_refused_until_the_first_ends()
    {
        string link = Path.Combine(_folder.Path, "link");
        string real = Path.Combine(_folder.Path, "real");
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Symbolic links need a privilege on Windows.");
        using (StorageEnvironment first = StorageEnvironment.Open(real))
        {
            Sample.Put(first, 0, 10);
            Directory.CreateSymbolicLink(link, real);
            ExpectHolder(ExpectLocked(real), $"of this process ({Environment.ProcessId}).");
            ExpectLocked(link);
            string hard = Path.Combine(_folder.Path, "hard");
            Directory.CreateDirectory(hard);
            MakeHardLink(Path.Combine(real, "data.voron"), Path.Combine(hard, "data.voron"));
            ExpectLocked(hard);
            Sample.Put(first, 10, 20);
            Sample.Expect(first, 20);
        }

        using StorageEnvironment again = StorageEnvironment.Open(link);
        Sample.Expect(again, 20);
    }

    [Fact]
    public void Another_process_is_refused_and_refuses()
    {
        using (StorageEnvironment mine = StorageEnvironment.Open(_folder.Path))
        {
            using Process other = StartWriter();
            string errors = other.StandardError.ReadToEnd();
            other.WaitForExit();
            other.ExitCode.Should().NotBe(0);
            errors.Should().Contain(nameof(StorageLockedException));
            ExpectHolder(errors, $"in use by process {Environment.ProcessId}.");
            Sample.Put(mine, 0, 1);
        }

        using Process holder = StartWriter();
        try
        {
            byte[] message = new byte[CrashWriting.MessageBytes];
            holder.StandardOutput.BaseStream.ReadExactly(message);
            ExpectHolder(ExpectLocked(_folder.Path), $"in use by process {holder.Id}.");
        }
        finally
        {
            holder.Kill();
            holder.WaitForExit();
        }

        using StorageEnvironment after = StorageEnvironment.Open(_folder.Path);
        after.Check().Findings.Should().BeEmpty();
    }

    /// <summary>A thread gives up its rights for files, and for itself alone: the tests may run as root.</summary>
    [Fact]
    [SupportedOSPlatform("linux")]
    public void A_folder_that_the_user_may_not_enter_is_no_missing_database()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Rights of a thread exist on Linux only.");
        string closed = Path.Combine(_folder.Path, "closed");
        using (StorageEnvironment environment = StorageEnvironment.Open(closed))
        {
            Sample.Put(environment, 0, 1);
        }

        const UnixFileMode All = (UnixFileMode)0x1FF;
        File.SetUnixFileMode(_folder.Path, All);
        foreach (string place in (string[])[closed, Sample.DataOf(closed)])
        {
            File.SetUnixFileMode(place, UnixFileMode.None);
            foreach (bool readOnly in (bool[])[false, true])
            {
                Exception? error = null;
                Thread opener = new(() =>
                {
                    _ = SetFileUser(65_534);
                    error = Record.Exception(
                        () => StorageEnvironment.Open(closed, new StorageOptions
                        {
                            Engine = new() { Background = false },
                            ReadOnly = readOnly,
                        }).Dispose());
                });
                opener.Start();
                opener.Join();
                error.Should().BeOfType<StorageIOException>().Which.Message.Should()
                    .Contain("permission denied").And.Contain(closed).And.NotContain("no database");
            }

            File.SetUnixFileMode(place, All);
        }
    }

    /// <summary>Counted between two numbers of environments, so that what the process has anyway does not count.</summary>
    [Theory]
    [InlineData("open", MostMapsWhenOpen)]
    [InlineData("commit", MostMapsAfterCommit)]
    public void An_environment_at_rest_has_few_maps_and_no_queue_that_it_does_not_need(string life, int most)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux shows the maps of a process.");
        const int few = 40;
        const int many = 90;
        string[][] maps = [.. ((int[])[few, many]).Select(count => MapsOf(life, count).Split('\n'))];
#if CHECKED
        // Guards are maps of their own.
        most *= 10;
#endif
        const int runtimes = 25;
        (maps[1].Length - maps[0].Length).Should().BeLessThanOrEqualTo(((many - few) * most) + runtimes, "the runtime maps memory too");
        maps[1].Count(static line => line.Contains("[aio]", StringComparison.Ordinal)).Should().BeLessThanOrEqualTo(1);
        maps[1].Count(static line => line.Contains("data.voron", StringComparison.Ordinal)).Should().Be(many);
    }

    [Fact]
    public void A_process_that_writes_needs_no_library_for_cryptography()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux has no such library of its own.");
        MapsOf("commit", 1).Should().Contain("data.voron").And.NotContain("libssl").And.NotContain("libcrypto")
            .And.NotContain("Security.Cryptography.Native");
    }

    [Fact]
    public void Paths_of_every_form_lead_to_the_same_database()
    {
        using (StorageEnvironment environment = StorageEnvironment.Open(_folder.Path + Path.DirectorySeparatorChar))
        {
            Sample.Put(environment, 0, 5);
        }

        string relative = Path.GetRelativePath(Environment.CurrentDirectory, _folder.Path);
        using (StorageEnvironment environment = StorageEnvironment.Open(relative))
        {
            Sample.Expect(environment, 5);
        }

        using (StorageEnvironment environment = StorageEnvironment.Open(Path.Combine(_folder.Path, "a", "..")))
        {
            Sample.Expect(environment, 5);
        }

        using (StorageEnvironment environment = StorageEnvironment.Open(Path.Combine(_folder.Path, "new", "deep ä", "er")))
        {
            Sample.Put(environment, 0, 1);
        }

        Directory.Exists(Path.Combine(_folder.Path, "new", "deep ä", "er", "journal")).Should().BeTrue();
    }

    [Fact]
    public void A_path_that_is_no_folder_is_refused()
    {
        string file = Path.Combine(_folder.Path, "file");
        File.WriteAllText(file, "text");
        foreach (string path in (string[])[file, Path.Combine(file, "below")])
        {
            Action open = () => StorageEnvironment.Open(path);
            StorageIOException error = open.Should().Throw<StorageIOException>().Which;
            error.Message.Should().Contain(file).And.Contain("choose another path");
            error.Path.Should().StartWith(file);
            error.Code.Should().NotBe(0);
        }

        File.ReadAllText(file).Should().Be("text");
        ((Action)(() => StorageEnvironment.Open("a\0b"))).Should().Throw<ArgumentException>();
        ((Action)(() => StorageEnvironment.Open(" "))).Should().Throw<ArgumentException>();
        ((Action)(() => StorageEnvironment.Open(null!))).Should().Throw<ArgumentException>();
        Action longName = () => StorageEnvironment.Open(Path.Combine(_folder.Path, new string('x', 300)));
        longName.Should().Throw<StorageIOException>().Which.Message.Should().Contain("too long");
    }

    [Fact]
    public void Without_permission_to_create_nothing_is_created()
    {
        // Even root may not create anything there.
        const string path = "/proc/voron";
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs a folder that refuses everybody");
        Action open = () => StorageEnvironment.Open(path);
        open.Should().Throw<StorageIOException>().Which.Message.Should().Contain(path);
    }

    [Theory]
    [InlineData("This is a text file, and not a short one: it is longer than a header slot. abcdefghijklmnopqrstuvwxyz abcdefghijklmno")]
    [InlineData("short")]
    [InlineData("")]
    public void A_foreign_file_in_the_place_of_the_data_file_is_refused_and_kept(string text) =>
        ExpectNotADatabase(Sample.Bytes(text));

    [Theory]
    [InlineData(1)]
    [InlineData(4096)]
    [InlineData(1 << 20)]
    public void A_zeroed_or_random_file_in_the_place_of_the_data_file_is_refused_and_kept(int bytes)
    {
        ExpectNotADatabase(new byte[bytes]);
        ExpectNotADatabase(Sample.Value(bytes, 5));
    }

    [Fact]
    public void Without_leave_to_create_a_missing_database_is_named()
    {
        string path = Path.Combine(_folder.Path, "missing");
        StorageOptions options = new() { CreateIfMissing = false };
        Action open = () => StorageEnvironment.Open(path, options);
        open.Should().Throw<StorageIOException>().Which.Message.Should().Contain(path).And.Contain("CreateIfMissing");
        Directory.Exists(path).Should().BeFalse();
        open = () => StorageEnvironment.Open(_folder.Path, options);
        open.Should().Throw<StorageIOException>();
        Directory.GetFileSystemEntries(_folder.Path).Should().BeEmpty();
        using (StorageEnvironment environment = StorageEnvironment.Open(path))
        {
            Sample.Put(environment, 0, 3);
        }

        // The lock file is nobody's data: a copy of the database without it is still one.
        File.Delete(Path.Combine(path, "voron.lock"));
        using StorageEnvironment again = StorageEnvironment.Open(path, options);
        Sample.Expect(again, 3);
    }

    [Fact]
    public void A_creation_that_was_cut_short_is_done_again()
    {
        File.WriteAllBytes(Path.Combine(_folder.Path, "data.voron.new"), Sample.Value(100_000, 1));
        using (StorageEnvironment environment = StorageEnvironment.Open(_folder.Path))
        {
            Sample.Put(environment, 0, 3);
        }

        using StorageEnvironment again = StorageEnvironment.Open(_folder.Path);
        Sample.Expect(again, 3);
        File.Exists(Path.Combine(_folder.Path, "data.voron.new")).Should().BeFalse();
    }

    private static string ExpectLocked(string path)
    {
        Action open = () => StorageEnvironment.Open(path);
        string message = open.Should().Throw<StorageLockedException>().Which.Message;
        message.Should().Contain(path).And.Contain("Close that one first");
        return message;
    }

    /// <summary>Only Linux tells.</summary>
    private static void ExpectHolder(string message, string holder)
    {
        if (OperatingSystem.IsLinux())
        {
            message.Should().Contain(holder);
        }
    }

    private void ExpectNotADatabase(byte[] content)
    {
        File.WriteAllBytes(Sample.Data(_folder), content);
        Action open = () => StorageEnvironment.Open(_folder.Path);
        open.Should().Throw<NotADatabaseException>()
            .Which.Message.Should().Contain(Sample.Data(_folder)).And.Contain("Choose another folder");
        File.ReadAllBytes(Sample.Data(_folder)).Should().Equal(content, "a foreign file is not touched");
    }

    private static void MakeHardLink(string target, string link)
    {
        using Process process = Process.Start("ln", [target, link]);
        process.WaitForExit();
        process.ExitCode.Should().Be(0);
    }

    private string MapsOf(string life, int databases)
    {
        using Process process = Process.Start(CrashProgram.Start(Path.Combine(_folder.Path, $"{databases}"), life, $"{databases}"))!;
        string maps = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        process.ExitCode.Should().Be(0);
        return maps;
    }

    private Process StartWriter()
    {
        // The writer ends with its standard input: redirected, that is when we are gone.
        ProcessStartInfo start = CrashProgram.Start(_folder.Path, "7");
        return Process.Start(start)!;
    }

    [DllImport("libc", EntryPoint = "setfsuid")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int SetFileUser(uint user);
}

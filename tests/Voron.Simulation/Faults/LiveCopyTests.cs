using System.Diagnostics;
using FluentAssertions;
using Voron.Simulation.Blocks;
using Voron.Storage;
using Xunit;

namespace Voron.Simulation.Faults;

/// <summary>What other programs do to an open database: they copy its files one after another, or are children of its process.</summary>
public class LiveCopyTests
{
    private const int Moments = 14;

    /// <summary>
    /// Data file and journal of any two moments: the copy holds a state that once was, as a whole, or is refused as damaged. It is never
    /// taken for what it is not.
    /// </summary>
    [Fact]
    public void Files_copied_at_different_moments_are_a_state_or_are_refused()
    {
        string folder = Directory.CreateTempSubdirectory("voron-copy-").FullName;
        try
        {
            List<int> counts = Live(folder);
            int refused = 0;
            for (int data = 0; data < Moments; data++)
            {
                for (int journal = 0; journal < Moments; journal++)
                {
                    refused += Open(folder, data, journal, counts) ? 0 : 1;
                }
            }

            refused.Should().BeInRange(1, (Moments * Moments) - Moments, "those of one moment open, and some others cannot");
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    /// <summary>Children get none of the database's files, and their start harms no commit.</summary>
    [Fact]
    public void Children_that_start_during_commits_inherit_no_file()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "descriptors are listed in /proc");
        string folder = Directory.CreateTempSubdirectory("voron-child-").FullName;
        try
        {
            using RowBase rows = new(Path.Combine(folder, "db"));
            rows.Open();
            for (int i = 0; i < 15; i++)
            {
                ProcessStartInfo start = new("/bin/ls", ["-l", "/proc/self/fd"]) { RedirectStandardOutput = true };
                using Process child = Process.Start(start)!;
                rows.Commit(20);
                child.StandardOutput.ReadToEnd().Should().Contain("->").And.NotContain(folder);
                child.WaitForExit();
            }

            rows.ExpectHere("after children");
            rows.Close();
            rows.Open();
            rows.ExpectHere("opened again");
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    /// <summary>
    /// A child that is being started has copies of all descriptors until it runs its program: a lock that ended with the last of them would
    /// outlive its database.
    /// </summary>
    [Fact]
    public async Task A_closed_database_is_free_at_once_although_children_start()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Windows gives a child only what it is told to");
        string folder = Directory.CreateTempSubdirectory("voron-child-").FullName;
        bool stop = false;
        Task starting = Task.Run(() =>
        {
            while (!Volatile.Read(ref stop))
            {
                using Process child = Process.Start(new ProcessStartInfo("/bin/true"))!;
                child.WaitForExit();
            }
        });
        try
        {
            for (int i = 0; i < 200; i++)
            {
                using StorageEnvironment environment = StorageEnvironment.Open(Path.Combine(folder, "db"));
            }
        }
        finally
        {
            Volatile.Write(ref stop, true);
            await starting;
            Directory.Delete(folder, recursive: true);
        }
    }

    /// <summary>Commits and checkpoints, with a copy of all files at each moment; how many rows there were at each.</summary>
    private static List<int> Live(string folder)
    {
        List<int> counts = [];
        string database = Path.Combine(folder, "db");
        using RowBase rows = new(database);
        rows.Open();
        for (int moment = 0; moment < Moments; moment++)
        {
            rows.Commit(moment % 4 == 0 ? 600 : 30);
            if (moment % 3 == 2)
            {
                rows.Checkpoint();
            }

            Copy(database, At(folder, moment), static _ => true);
            counts.Add(rows.Acknowledged);
        }

        return counts;
    }

    private static bool Open(string folder, int data, int journal, List<int> counts)
    {
        string where = $"data file of moment {data}, journal of moment {journal}";
        string mixed = Path.Combine(folder, "mixed");
        Copy(At(folder, data), mixed, static name => !IsJournal(name));
        Copy(At(folder, journal), mixed, IsJournal);
        try
        {
            using StorageEnvironment environment = StorageEnvironment.Open(mixed, new StorageOptions
            {
                Engine = new() { Background = false },
            });
            counts.Should().Contain(NumberedRows.Read(environment), where);
            environment.Check().Findings.Should().BeEmpty(where);
            return true;
        }
        catch (StorageException error) when (error is StorageCorruptException or CorruptJournalException)
        {
            data.Should().NotBe(journal, "both are of one moment");
            return false;
        }
        finally
        {
            Directory.Delete(mixed, recursive: true);
        }
    }

    private static string At(string folder, int moment) => Path.Combine(folder, FormattableString.Invariant($"moment-{moment}"));

    private static bool IsJournal(string name) => name.StartsWith("journal", StringComparison.Ordinal);

    private static void Copy(string from, string to, Func<string, bool> isWanted)
    {
        foreach (string file in Directory.EnumerateFiles(from, "*", SearchOption.AllDirectories))
        {
            string name = Path.GetRelativePath(from, file);
            if (isWanted(name))
            {
                string target = Path.Combine(to, name);
                Directory.CreateDirectory(Path.GetDirectoryName(target)!);
                File.Copy(file, target);
            }
        }
    }
}

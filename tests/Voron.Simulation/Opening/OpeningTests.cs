using FluentAssertions;
using Voron.Simulation.Crashes;
using Voron.Simulation.Engine;
using Voron.Storage;
using Voron.Storage.Format;
using Xunit;

namespace Voron.Simulation.Opening;

/// <summary>
/// What an open does to the disk, call by call: nothing when it is read-only, and nothing that it could regret before a header slot says
/// what it found.
/// </summary>
public class OpeningTests
{
    private const string Folder = "/db";

    [Fact]
    public void A_read_only_open_shows_what_a_writing_one_would_and_changes_nothing()
    {
        int withImages = 0;
        foreach (SimDisk left in Killed())
        {
            string expected = ContentOf(left.Kill(), readOnly: false);
            long version = left.StateVersion;
            Hash128 image = left.ImageHash();
            List<SimCall> calls = [];
            left.OnCall = (call, phase) => calls.AddRange(phase == SimPhase.Before ? [call] : []);
            ContentOf(left, readOnly: true).Should().Be(expected);
            left.StateVersion.Should().Be(version);
            left.ImageHash().Should().Be(image);
            left.OpenFileCount.Should().Be(0);
            calls.Should().OnlyContain(static call => (call.Kind & (SimCallKind.Changing & ~SimCallKind.OpenFile)) == 0);
            bool hasImages = calls.Exists(static call =>
                call.Kind == SimCallKind.Map && call.Path.EndsWith(".pages", StringComparison.Ordinal));
            withImages += hasImages ? 1 : 0;
        }

        withImages.Should().BePositive("some of them need the images of an image set");
    }

    [Fact]
    public void Nothing_is_lost_of_any_file_before_a_slot_is_durable_again()
    {
        int settled = 0;
        foreach (SimDisk left in Killed())
        {
            Dictionary<string, byte[]> before = left.Paths().ToDictionary(static path => path, path => left.Peek(path)!);
            bool isSettled = false;
            left.OnCall = (call, phase) =>
            {
                bool isSlot = call.Kind == SimCallKind.Write && call.Path == EngineSubject.DataFile
                    && call.Offset < 2 * EngineSubject.PageBytes;
                if (!isSettled && phase == SimPhase.Before && !isSlot)
                {
                    ExpectHarmless(call, before);
                }
                else if (!isSettled && phase == SimPhase.Before)
                {
                    isSettled = true;
                    ExpectOnlyImages(left.Peek(EngineSubject.DataFile)!, before);
                }
            };
            using (StorageEnvironment environment = StorageEnvironment.Open(Folder, Options(left, readOnly: false)))
            {
                settled += isSettled ? 1 : 0;
                left.OnCall = null;
                ExpectOldChunks(left, before, areCut: false);
            }

            ExpectOldChunks(left, before, areCut: true);
        }

        settled.Should().BePositive();
    }

    /// <summary>A chunk of an earlier life is never written again; a clean close may cut it, and changes its header for that.</summary>
    private static void ExpectOldChunks(SimDisk disk, Dictionary<string, byte[]> before, bool areCut)
    {
        foreach ((string path, byte[] bytes) in before.Where(static file => file.Key.EndsWith(".commit", StringComparison.Ordinal)))
        {
            byte[] now = disk.Peek(path) ?? bytes;
            bool isCut = areCut && now.Length < bytes.Length;
            int from = isCut ? FormatConstants.ChunkBodyOffset : 0;
            now.Length.Should().Be(isCut ? (int)FormatConstants.MinChunkBytes : bytes.Length);
            now.AsSpan(from).SequenceEqual(bytes.AsSpan(from, now.Length - from)).Should().BeTrue("{0} is of an earlier life", path);
        }
    }

    [Fact]
    public void A_new_database_that_lost_all_its_chunks_is_not_taken_for_an_empty_one()
    {
        var disk = new SimDisk(3);
        StorageEnvironment environment = StorageEnvironment.Open(Folder, Options(disk, readOnly: false));
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.OpenTree("t").Put([1], [2]);
            transaction.Commit();
        }

        SimDisk killed = disk.Kill();
        disk.PowerOff();
        environment.Database.Abandon();
        foreach (string chunk in killed.Paths().Where(static path => path.EndsWith(".commit", StringComparison.Ordinal)).ToArray())
        {
            killed.Delete(chunk);
        }

        foreach (bool readOnly in (bool[])[true, false])
        {
            Action open = () => StorageEnvironment.Open(Folder, Options(killed, readOnly));
            open.Should().Throw<CorruptJournalException>().Which.Message.Should().Contain("0000000000000001.commit").And.Contain("missing");
        }
    }

    [Fact]
    public void A_clean_close_leaves_no_journal_to_look_through()
    {
        var disk = new SimDisk(4);
        using (StorageEnvironment environment = StorageEnvironment.Open(Folder, Options(disk, readOnly: false)))
        {
            for (int i = 0; i < 40; i++)
            {
                using WriteTransaction transaction = environment.BeginWrite();
                transaction.OpenTree("t").Put([(byte)i], new byte[40_000]);
                transaction.Commit();
            }
        }

        long read = 0;
        disk.OnCall = (call, phase) => read += phase == SimPhase.After && call.Kind == SimCallKind.Read ? call.Length : 0;
        StorageEnvironment.Open(Folder, Options(disk, readOnly: false)).Dispose();
        disk.Paths().Should().NotContain(static path => path.Contains("spare", StringComparison.Ordinal));
        read.Should().BeLessThan(80 << 10, "headers, one record, one image set head");
    }

    [Fact]
    public void A_damaged_space_map_refuses_the_report_and_lets_everything_else_be()
    {
        const int FirstSpaceMap = 3;
        var disk = new SimDisk(5);
        ICrashSession session = new EngineSubject().Open(disk);
        session.Commit(new WorkloadTransaction([new WorkloadChange([1], [2])]));
        session.Close();
        disk.Damage(EngineSubject.DataFile, (FirstSpaceMap * EngineSubject.PageBytes) + 1000, 0x10);
        using (StorageEnvironment environment = StorageEnvironment.Open(Folder, Options(disk, readOnly: false)))
        {
            environment.Invoking(static open => open.GetReport()).Should().Throw<StorageCorruptException>().Which.Message
                .Should().Contain($"Page {FirstSpaceMap} ");
            using ReadTransaction read = environment.BeginRead();
            read.OpenTree("odd").TryGet([1], out ReadOnlySpan<byte> value).Should().BeTrue();
            value.ToArray().Should().Equal(2);
        }

        disk.OpenFileCount.Should().Be(0);
        disk.MappedFileCount.Should().Be(0);
        Action open = () => new EngineSubject().Open(disk);
        open.Should().Throw<StorageCorruptException>();
        disk.OpenFileCount.Should().Be(0, "a session that cannot begin ends");
    }

    private static void ExpectHarmless(SimCall call, Dictionary<string, byte[]> before)
    {
        (call.Kind & (SimCallKind.Delete | SimCallKind.Rename | SimCallKind.SetLength)).Should().Be(SimCallKind.None, "{0}", call);
        if (call.Kind == SimCallKind.Write && before.ContainsKey(call.Path))
        {
            call.Path.Should().Be(EngineSubject.DataFile);
        }
    }

    /// <summary>Pages that changed hold what a page chunk had for them.</summary>
    private static void ExpectOnlyImages(byte[] file, Dictionary<string, byte[]> before)
    {
        const int Page = EngineSubject.PageBytes;
        byte[] old = before[EngineSubject.DataFile];
        file.Length.Should().Be(old.Length);
        for (int at = 2 * Page; at < file.Length; at += Page)
        {
            ReadOnlySpan<byte> page = file.AsSpan(at, Page);
            if (!page.SequenceEqual(old.AsSpan(at, Page)))
            {
                IsImage(page, before).Should().BeTrue("the page at {0} was overwritten", at);
            }
        }
    }

    private static bool IsImage(ReadOnlySpan<byte> page, Dictionary<string, byte[]> before)
    {
        foreach ((string path, byte[] bytes) in before)
        {
            for (int at = 0; path.EndsWith(".pages", StringComparison.Ordinal) && at < bytes.Length; at += page.Length)
            {
                if (page.SequenceEqual(bytes.AsSpan(at, page.Length)))
                {
                    return true;
                }
            }
        }

        return false;
    }

    /// <summary>Disks as killed processes leave them, at every tenth call of workloads with checkpoints and readers.</summary>
    private static IEnumerable<SimDisk> Killed()
    {
        for (ulong seed = 1; seed <= 4; seed++)
        {
            var disk = new SimDisk(seed);
            var left = new List<SimSnapshot>();
            Workload workload = Workload.Generate(seed, new WorkloadOptions { PageBytes = EngineSubject.PageBytes, Steps = 10 });
            ICrashSession session = new EngineSubject().Open(disk);
            disk.OnCall = (call, phase) =>
            {
                if (phase == SimPhase.After && (call.Kind & SimCallKind.Changing) != 0 && call.Number % 10 == 0)
                {
                    left.Add(disk.Capture());
                }
            };
            foreach (WorkloadStep step in workload.Steps.Where(static step => step.Transactions.Count > 0))
            {
                session.CommitGroup(step.Transactions);
                session.Checkpoint();
            }

            disk.OnCall = null;
            disk.PowerOff();
            session.Abandon();
            foreach (SimSnapshot snapshot in left)
            {
                yield return snapshot.Cut(CutChoice.All);
            }
        }
    }

    private static StorageOptions Options(SimDisk disk, bool readOnly) => new()
    {
        Engine = new() { Disk = disk, Background = false },
        ReadOnly = readOnly, TimeProvider = FrozenTime.Instance,
    };

    private static string ContentOf(SimDisk disk, bool readOnly)
    {
        using StorageEnvironment environment = StorageEnvironment.Open(Folder, Options(disk, readOnly));
        environment.Check().Findings.Should().BeEmpty();
        var rows = new System.Text.StringBuilder();
        using ReadTransaction read = environment.BeginRead();
        rows.Append(read.TransactionId);
        foreach (string name in read.TreeNames)
        {
            ReadTree tree = read.OpenTree(name);
            using Cursor cursor = tree.OpenCursor();
            for (bool there = cursor.MoveFirst(); there; there = cursor.MoveNext())
            {
                byte[] value = EngineValue.Of(tree, cursor);
                rows.Append(name).Append(Convert.ToHexString(cursor.Key)).Append('=').Append(Convert.ToHexString(value)).Append(';');
            }
        }

        return rows.ToString();
    }
}

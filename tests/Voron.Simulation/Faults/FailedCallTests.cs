using FluentAssertions;
using Voron.Storage;
using Voron.Storage.Format;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Simulation.Faults;

/// <summary>
/// Writes, syncs, reads and permissions that fail: typed, fail-stop where the outcome is unknown, and nothing acknowledged is lost.
/// </summary>
public class FailedCallTests
{
    [Theory]
    [InlineData(SimFaultEffect.Nothing)]
    [InlineData(SimFaultEffect.Half)]
    [InlineData(SimFaultEffect.Everything)]
    internal void A_failed_journal_write_leaves_the_outcome_to_the_reopening(SimFaultEffect effect)
    {
        using FaultRig rig = new FaultRig().Open();
        rig.Commit();
        rig.Disk.Faults.Add(new SimFault { Calls = SimCallKind.Write, Path = "/db/journal/*.commit", Effect = effect });
        Action commit = () => rig.Commit();
        CommitOutcomeUnknownException unknown = commit.Should().Throw<CommitOutcomeUnknownException>().Which;
        unknown.Message.Should().Contain("Reopen the database").And.Contain("/db/journal/");
        ExpectPoisoned(rig);
        using (ReadTransaction read = rig.Environment.BeginRead())
        {
            read.TransactionId.Should().Be(1, "an unknown commit is not shown");
        }

        rig.ExpectHere();
        rig.ExpectSafe(maybe: 20);
        rig.Environment.Invoking(static e => e.Dispose()).Should().NotThrow();
        rig.Open();
        rig.ExpectHere(maybe: 20);
    }

    [Theory]
    [InlineData(SimCallKind.SyncData, "/db/data.voron", 3)]
    [InlineData(SimCallKind.Write, "/db/data.voron", 3)]
    [InlineData(SimCallKind.Write, "/db/journal/*.pages", 2)]
    internal void Every_failed_write_or_sync_of_a_checkpoint_stops_all_commits(SimCallKind call, string path, int atLeast)
    {
        int which = 0;
        while (StopsAllCommits(call, path, which + 1))
        {
            which++;
        }

        which.Should().BeGreaterThanOrEqualTo(atLeast, "so many calls of this kind does the checkpoint make");
    }

    /// <summary>False when the checkpoint makes fewer such calls.</summary>
    private static bool StopsAllCommits(SimCallKind call, string path, int which)
    {
        using FaultRig rig = new FaultRig().Open();
        rig.Commit(100);
        rig.Environment.Checkpoint();
        rig.Commit(400);
        SimFault fault = rig.Break(call, path, IoErrorKind.Device, from: which, times: 1);
        Exception? thrown = Record.Exception(() => rig.Environment.Checkpoint());
        if (!fault.WasMet)
        {
            thrown.Should().BeNull();
            return false;
        }

        rig.Disk.Faults.Clear();
        StorageIOException error = thrown.Should().BeOfType<StorageIOException>().Which;
        error.Message.Should().Contain(error.Path).And.Contain("reopen the database");
        error.Operation.Should().Be(call == SimCallKind.Write ? "write" : "sync");
        if (!ExpectPoisonedUnlessImage(rig, call, path))
        {
            rig.Environment.Checkpoint();
            rig.Commit();
        }

        rig.ExpectHere();
        rig.ExpectSafe();
        rig.Restart();
        rig.ExpectHere();
        rig.Commit();
        rig.Environment.Checkpoint();
        rig.ExpectHere();
        rig.ExpectSafe();
        return true;
    }

    /// <summary>An image that could not be written is nothing without the image set's head, so that failure alone needs no stop.</summary>
    private static bool ExpectPoisonedUnlessImage(FaultRig rig, SimCallKind call, string path)
    {
        if (path.EndsWith(".pages", StringComparison.Ordinal) && call == SimCallKind.Write && Record.Exception(() => rig.Commit()) is null)
        {
            return false;
        }

        ExpectPoisoned(rig);
        return true;
    }

    [Theory]
    [InlineData(SimCallKind.SyncDirectory, "/db/journal")]
    [InlineData(SimCallKind.SyncData, "/db/journal/*.chunk")]
    [InlineData(SimCallKind.Rename, "/db/journal/*")]
    [InlineData(SimCallKind.OpenFile, "/db/journal/*.commit")]
    internal void A_chunk_that_cannot_be_made_ready_is_not_used(SimCallKind call, string path)
    {
        using FaultRig rig = new FaultRig().Open();
        rig.Break(call, path, IoErrorKind.Device);
        Action fill = () =>
        {
            while (true)
            {
                rig.Commit();
            }
        };
        fill.Should().Throw<StorageIOException>().Which.Message.Should().Contain("/db/journal").And.Contain("check the disk");
        rig.ExpectHere();
        rig.Heal();
        rig.Commit();
        rig.ExpectHere();
        rig.ExpectSafe();
        rig.Environment.Checkpoint();
        rig.ExpectSafe();
    }

    [Theory]
    [InlineData(IoErrorKind.AccessDenied, "permission denied")]
    [InlineData(IoErrorKind.ReadOnlyMedia, "read-only")]
    [InlineData(IoErrorKind.NotSupported, "local file system")]
    [InlineData(IoErrorKind.OutOfMemory, "out of memory or of open files")]
    [InlineData(IoErrorKind.Device, "check the disk")]
    internal void Every_call_of_an_opening_may_fail(IoErrorKind kind, string advice)
    {
        int failures = 0;
        for (int call = 1; ; call++)
        {
            using FaultRig rig = new();
            SimFault fault = rig.Break(SimCallKind.Any & ~SimCallKind.FillRandom, "*", kind, from: call, times: 1);
            try
            {
                rig.Open();
            }
            catch (StorageIOException error)
            {
                failures++;
                error.Message.Should().Contain(error.Path).And.Contain(advice);
                error.Path.Should().StartWith("/");
                error.Code.Should().Be(5);
                rig.Disk.OpenFileCount.Should().Be(0, "call {0} failed and everything is closed", call);
                rig.Heal();
                rig.Open();
            }

            bool isEnd = !fault.WasMet;
            rig.Heal();
            rig.Commit();
            rig.ExpectHere();
            if (isEnd)
            {
                break;
            }
        }

        failures.Should().BeGreaterThan(15);
    }

    [Fact]
    public void A_page_that_cannot_be_read_poisons_only_the_transaction_that_had_changed_something()
    {
        using FaultRig rig = new FaultRig().Open();
        rig.Commit(2000);
        rig.Environment.Checkpoint();
        rig.Restart();
        byte[] file = rig.Disk.Peek("/db/data.voron")!;
        int damaged = LastLeaf(file);
        rig.Disk.Damage("/db/data.voron", (damaged * 4096L) + 2000, 1);
        using (WriteTransaction transaction = rig.Environment.BeginWrite())
        {
            Tree tree = transaction.OpenTree("t");
            Action change = () =>
            {
                for (int i = 0; i < 2000; i++)
                {
                    tree.Put(NumberedRows.Key(i), "new"u8);
                }

                // The last puts are made when somebody looks.
                _ = tree.Count;
            };
            StorageCorruptException error = change.Should().Throw<StorageCorruptException>().Which;
            (error.PageNumber, error.File).Should().Be((damaged, "/db/data.voron"));
            error.Message.Should().Contain($"Page {damaged}").And.Contain("Restore a backup");
            ((Action)(() => transaction.Commit())).Should().Throw<TransactionPoisonedException>().Which.InnerException.Should().Be(error);
        }

        using (WriteTransaction transaction = rig.Environment.BeginWrite())
        {
            transaction.OpenTree("other").Put("k"u8, "v"u8);
            transaction.Commit();
        }

        rig.Environment.Check().Findings.Should().Contain(finding => finding.ToString().Contains($"{damaged}"));
        rig.Disk.Damage("/db/data.voron", (damaged * 4096L) + 2000, 1);
        rig.ExpectHere();
        rig.ExpectSafe();
    }

    [Fact]
    public void Another_thread_is_refused_while_a_commit_prepares_its_chunk()
    {
        using FaultRig rig = new FaultRig().Open();
        WriteTransaction transaction = default;
        List<Exception?> answers = [];
        rig.Disk.OnCall = (call, phase) =>
        {
            if (call.Kind == SimCallKind.Rename && phase == SimPhase.Before && answers.Count == 0)
            {
                WriteTransaction same = transaction;
                Thread other = new(() =>
                {
                    answers.Add(Record.Exception(() => same.OpenTree("t")));
                    answers.Add(Record.Exception(() => same.Commit()));
                    answers.Add(Record.Exception(same.Dispose));
                });
                other.Start();
                other.Join();
            }
        };
        while (answers.Count == 0)
        {
            transaction = rig.Environment.BeginWrite();
            rig.Put(transaction, 20);
            transaction.Commit();
            rig.Acknowledge(20);
        }

        rig.Disk.OnCall = null;
        answers.Should().HaveCount(3).And.AllBeOfType<InvalidOperationException>();
        rig.ExpectHere();
        rig.ExpectSafe();
    }

    private static void ExpectPoisoned(FaultRig rig)
    {
        Action[] doors =
        [
            () => rig.Environment.BeginWrite(),
            () => rig.Environment.TryBeginWrite(TimeSpan.Zero, out _),
            () => rig.Environment.Checkpoint(),
        ];
        foreach (Action door in doors)
        {
            StoragePoisonedException error = door.Should().Throw<StoragePoisonedException>().Which;
            error.InnerException.Should().BeOfType<StorageIOException>();
            error.Message.Should().Contain("open the database again").And.Contain(error.InnerException!.Message);
        }
    }

    private static int LastLeaf(byte[] file)
    {
        int leaf = 0;
        for (int page = 2; page < file.Length / 4096; page++)
        {
            bool isLeaf = file[(page * 4096) + 24] == 1 && BitConverter.ToUInt16(file, (page * 4096) + 26) > 20;
            leaf = isLeaf ? page : leaf;
        }

        return leaf;
    }
}

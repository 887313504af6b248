using FluentAssertions;
using Voron.Storage;
using Xunit;
using static Voron.Simulation.Faults.NumberedRows;

namespace Voron.Simulation.Faults;

/// <summary>
/// Blocks that the device can read no more: whatever is beside them is there, what is lost is named, and what is written as a whole is
/// well again.
/// </summary>
public class UnreadableTests
{
    private const int PageBytes = 4096;
    private const string DataFile = Folder + "/data.voron";
    private const string FirstChunk = Folder + "/journal/0000000000000001.commit";

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void One_header_slot_is_enough_and_writing_heals_the_other(int slot)
    {
        SimDisk disk = Filled(200, isClosed: true);
        disk.MakeUnreadable(DataFile, slot * PageBytes);
        using (StorageEnvironment reading = Open(disk, isReadOnly: true))
        {
            Read(reading).Should().Be(200);
        }

        using (StorageEnvironment environment = Open(disk))
        {
            Read(environment).Should().Be(200);
            environment.Check().IsClean.Should().BeTrue();
        }

        disk.CanRead(DataFile, slot * PageBytes, PageBytes).Should().BeTrue("the slots are written in turn, each as a whole block");
    }

    [Fact]
    public void Without_both_header_slots_the_error_says_what_the_device_said()
    {
        SimDisk disk = Filled(10, isClosed: true);
        disk.MakeUnreadable(DataFile, 0);
        disk.MakeUnreadable(DataFile, PageBytes);
        Action open = () => Open(disk);
        open.Should().Throw<StorageIOException>().WithMessage("*header slots of*device*").Which.Code.Should().Be(5);
    }

    [Fact]
    public void A_record_that_a_clean_close_has_covered_may_be_unreadable()
    {
        SimDisk disk = Filled(200, isClosed: true);
        byte[] chunk = disk.Peek(FirstChunk)!;
        for (int block = 0; block < chunk.Length / PageBytes; block++)
        {
            SimDisk damaged = disk.Kill();
            damaged.MakeUnreadable(FirstChunk, block * PageBytes);
            StorageEnvironment environment = Open(damaged);
            Read(environment).Should().Be(200, "block {0} is needed for nothing", block);
            Commit(environment, 200, 10);
            SimDisk cut = damaged.Cut(CutChoice.None);
            damaged.PowerOff();
            environment.Database.Abandon();
            using StorageEnvironment again = Open(cut);
            Read(again).Should().Be(210, "block {0} is needed for nothing", block);
        }
    }

    [Fact]
    public void An_acknowledged_record_that_is_unreadable_before_another_is_a_loss()
    {
        SimDisk disk = Filled(20, isClosed: false, andThen: 20);
        disk.MakeUnreadable(FirstChunk, PageBytes);
        Action open = () => Open(disk);
        open.Should().Throw<CorruptJournalException>().WithMessage("*0000000000000001.commit*");
    }

    [Fact]
    public void An_unreadable_tail_counts_for_an_unfinished_write_and_is_named()
    {
        SimDisk disk = new(1);
        StorageEnvironment environment = Open(disk);
        Commit(environment, 0, 20);
        SimSnapshot? inside = null;
        long offset = 0;
        disk.OnCall = (call, phase) =>
        {
            if (call.Kind == SimCallKind.Write && call.Path == FirstChunk && phase == SimPhase.Inside)
            {
                inside ??= disk.Capture();
                offset = call.Offset;
            }
        };
        Commit(environment, 20, 20);
        disk.PowerOff();
        environment.Database.Abandon();
        SimDisk left = inside!.Cut(CutChoice.None);
        left.MakeUnreadable(FirstChunk, offset);
        List<StorageEvent> events = [];
        using StorageEnvironment again = Open(left, events: events);
        Read(again).Should().Be(20);
        events.Should().Contain(e => e.Kind == StorageEventKind.Recovered && e.Message.Contains("cannot be read by the device"));
        Commit(again, 20, 20);
        again.Checkpoint();
        Read(again).Should().Be(40);
    }

    [Fact]
    public void A_page_that_cannot_be_read_is_an_error_with_its_number_and_costs_no_other_row()
    {
        SimDisk disk = Filled(1000, isClosed: true);
        int refused = 0;
        int blocks = disk.Peek(DataFile)!.Length / PageBytes;
        for (int block = 2; block < blocks; block++)
        {
            SimDisk damaged = disk.Kill();
            damaged.MakeUnreadable(DataFile, block * PageBytes);
            StorageEnvironment environment = Open(damaged, isReadOnly: true);
            string[] found = [.. environment.Check().Findings.Select(static finding => finding.Message)];
            found.Should().NotContain(message => message.Contains("says checksum"), "nothing is touched that cannot be read");
            environment.Check(long.MaxValue).IsClean.Should().Be(found.Length == 0);
            Exception? error = Record.Exception(() => Read(environment));
            environment.Dispose();
            if (error is not null)
            {
                refused++;
                error.Should().BeOfType<StorageIOException>().Which.PageNumber.Should().Be(block);
                found.Should().Contain(message => message.Contains($"Page {block} ") && message.Contains("cannot be read"));
                Salvaged(damaged).Should().BeGreaterThan(900, "page {0} holds a few rows", block);
            }
        }

        refused.Should().BeGreaterThan(20, "the rows are in so many pages");
    }

    [Fact]
    public void A_page_that_was_read_before_is_read_again_by_a_check()
    {
        SimDisk disk = Filled(200, isClosed: true);
        using StorageEnvironment environment = Open(disk);
        Read(environment).Should().Be(200);
        disk.MakeUnreadable(DataFile, 2 * PageBytes);
        environment.Check().Findings.Should().Contain(finding => finding.PageNumber == 2 && finding.Message.Contains("cannot be read"));
    }

    [Fact]
    public void A_salvage_maps_nothing_of_the_damaged_database()
    {
        SimDisk disk = Filled(300, isClosed: false, andThen: 300);
        List<string> mapped = [];
        disk.OnCall = (call, _) =>
        {
            if (call.Kind == SimCallKind.Map && call.Path.StartsWith(Folder, StringComparison.Ordinal))
            {
                mapped.Add(call.Path);
            }
        };
        Salvaged(disk).Should().Be(600);
        mapped.Should().BeEmpty();
    }

    [Fact]
    public void An_image_that_is_in_its_place_may_be_unreadable_in_its_image_set()
    {
        SimDisk disk = new(1);
        StorageEnvironment environment = Open(disk);
        Commit(environment, 0, 300);
        environment.Checkpoint();
        SimDisk left = disk.Kill();
        disk.PowerOff();
        environment.Database.Abandon();
        string chunk = left.Paths().Single(path => path.EndsWith(".pages", StringComparison.Ordinal));
        int opened = 0;
        for (int block = 1; block < left.Peek(chunk)!.Length / PageBytes; block++)
        {
            SimDisk damaged = left.Kill();
            damaged.MakeUnreadable(chunk, block * PageBytes);
            if (Record.Exception(() => Open(damaged).Dispose()) is { } error)
            {
                error.Should().BeOfType<StorageCorruptException>("the head and the table of the image set are needed");
                continue;
            }

            opened++;
            Salvaged(left.Kill()).Should().Be(300);
        }

        opened.Should().BeGreaterThan(2);
    }

    private static long Salvaged(SimDisk disk) => StorageSalvage.Copy(
        Folder, "/salvaged", new StorageOptions { Engine = new() { Disk = disk, Background = false }, PageSize = PageBytes }).Entries;

    private static SimDisk Filled(int rows, bool isClosed, int andThen = 0)
    {
        SimDisk disk = new(1);
        StorageEnvironment environment = Open(disk);
        Commit(environment, 0, rows);
        if (andThen > 0)
        {
            Commit(environment, rows, andThen);
        }

        if (isClosed)
        {
            environment.Dispose();
            return disk.Kill();
        }

        SimDisk left = disk.Kill();
        disk.PowerOff();
        environment.Database.Abandon();
        return left;
    }

    private static StorageEnvironment Open(SimDisk disk, bool isReadOnly = false, List<StorageEvent>? events = null) =>
        StorageEnvironment.Open(Folder, new StorageOptions
        {
            Engine = new() { Disk = disk, Background = false, MemoryBytes = 0 },
            PageSize = PageBytes, ReadOnly = isReadOnly, OnEvent = events is null ? null : events.Add,
        });

    private static void Commit(StorageEnvironment environment, int from, int count)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        Put(transaction, Enumerable.Range(from, count), 100);
        transaction.Commit();
    }
}

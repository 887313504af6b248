using System.Runtime.InteropServices;
using FluentAssertions;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Tests.Commits;
using Voron.Storage.Versions;
using Xunit;

namespace Voron.Storage.Tests.Journal;

public sealed class PageJournalTests : IDisposable
{
    private const int PageBytes = 8192;
    private static readonly JournalPosition First = new(1, FormatConstants.ChunkBodyOffset);
    private readonly TestDisk _disk = new();
    private readonly JournalFiles _files;
    private PageJournal _journal;

    public PageJournalTests()
    {
        _files = new JournalFiles(_disk, JournalWorld.Folder, JournalWorld.Database);
        _journal = Open();
    }

    public void Dispose() => _journal.Dispose();

    [Fact]
    public void An_image_set_reads_back_with_its_images_and_deferred_entries()
    {
        _journal.BeginSet(First);
        List<ImageEntry> images = [.. Enumerable.Range(10, 40).Select(page => Add(page))];
        ImageEntry deferred = Add(99);
        JournalPosition next = Complete(Template(1), images, [deferred]);

        ImageSet set = Read(First, 1);
        set.Head.TransactionId.Should().Be(new TransactionId(1001));
        set.Head.CommitChecksum.Should().Be(77);
        new JournalPosition(set.Head.NextSetSequence, set.Head.NextSetOffset).Should().Be(next);
        set.Images.Should().Equal(images);
        set.Deferred.Should().Equal(deferred);
        CheckImages(set);
        Sequences.Count.Should().BeGreaterThan(1, "forty images do not fit the first chunk");
    }

    [Fact]
    public void Image_sets_follow_one_another_in_one_chunk_and_then_in_the_next()
    {
        JournalPosition place = First;
        HashSet<long> chunks = [];
        for (int k = 1; k <= 60; k++)
        {
            _journal.BeginSet(place);
            JournalPosition next = Complete(Template(k), [Add(k)], []);
            (next > place).Should().BeTrue();
            CheckImages(Read(place, k));
            chunks.Add(place.Sequence);
            place = next;
        }

        chunks.Count.Should().BeGreaterThan(1);
    }

    [Fact]
    public void An_image_set_without_entries_is_a_head_and_its_copy()
    {
        _journal.BeginSet(First);
        int writes = _disk.Writes;
        JournalPosition next = Complete(Template(1), [], []);
        (_disk.Writes - writes).Should().Be(2);
        ImageSet set = Read(First, 1);
        set.Head.TableSequence.Should().Be(0);
        set.Images.Should().BeEmpty();
        next.Should().Be(new JournalPosition(1, 12288));
    }

    [Fact]
    public void Head_and_copy_are_the_last_writes_and_without_both_there_is_no_image_set()
    {
        _journal.BeginSet(First);
        ImageEntry entry = Add(5);
        _disk.RemembersLastWrite = true;
        Complete(Template(1), [entry], []);
        int copy = (int)First.Offset + FormatConstants.BlockBytes;
        _disk.LastWrite.Offset.Should().Be(copy);
        byte[] chunk = _disk.Files[_disk.LastWrite.Path];
        chunk[(int)First.Offset] ^= 1;
        CheckImages(Read(First, 1));
        chunk[copy] ^= 1;
        IsThere(First, 1).Should().BeFalse();
        chunk[(int)First.Offset] ^= 1;
        CheckImages(Read(First, 1));
    }

    [Fact]
    public void A_head_in_the_last_block_of_its_chunk_has_no_copy()
    {
        _journal.BeginSet(First);
        Complete(Template(1), [Add(5)], []);
        JournalPosition last = new(1, _disk.Files[PathOf(1)].Length - FormatConstants.BlockBytes);
        _journal.BeginSet(last);
        JournalPosition next = Complete(Template(2), [Add(6)], []);
        next.Sequence.Should().BeGreaterThan(1);
        CheckImages(Read(last, 2));
    }

    [Fact]
    public void A_head_whose_block_cannot_be_read_is_read_from_its_copy()
    {
        _journal.BeginSet(First);
        Complete(Template(1), [Add(5)], []);
        ImageSetReader reader = new(_files);
        int reads = 0;
        _disk.Fault = (call, _) => call == "read" && reads++ == 0 ? new IoError(IoErrorKind.Device, 5) : IoError.Success;
        reader.TryRead(First, 1, out _).Should().NotBeNull();
        reads.Should().BeGreaterThan(1);
    }

    [Fact]
    public void Every_way_to_be_absent_is_told()
    {
        Reason(First, 1).Should().Contain("no page chunk 1");
        Reason(new JournalPosition(0, 0), 1).Should().Contain("no page chunk");
        _journal.BeginSet(First);
        Reason(First, 1).Should().Contain("no sound head");
        JournalPosition next = Complete(Template(1), [Add(5)], []);
        Reason(First, 2).Should().Contain("no sound head of checkpoint 2");
        Reason(next, 2).Should().Contain("no sound head");
        Reason(new JournalPosition(1, 1 << 20), 1).Should().Contain("ends before");
        _disk.Files[PathOf(1)][30] ^= 1;
        Reason(First, 1).Should().Contain("no page chunk 1");
    }

    [Fact]
    public void A_rotten_table_under_a_sound_head_is_corruption_and_no_incomplete_image_set()
    {
        _journal.BeginSet(First);
        Complete(Template(1), [Add(5)], []);
        ImageSet set = Read(First, 1);
        _disk.Files[PathOf(1)][(int)set.Head.TableOffset + 3] ^= 1;
        Action read = () => IsThere(First, 1);
        read.Should().Throw<StorageCorruptException>();
    }

    [Fact]
    public void A_damaged_or_wrong_image_is_refused()
    {
        _journal.BeginSet(First);
        ImageEntry one = Add(5);
        ImageEntry two = Add(6);
        Complete(Template(1), [one, two], []);
        ImageEntry run = two with { PageCount = 2 };
        ImageEntry outside = one with { Offset = 64 << 10 };
        IsGood(one).Should().BeTrue();
        foreach (ImageEntry wrong in (ImageEntry[])[
            one with { Offset = two.Offset }, one with { PageNumber = new PageNumber(7) }, run, outside, one with { Sequence = 9 },
            one with { Offset = 0 }, one with { Offset = one.Offset + 8 }, one with { PageCount = -1 }])
        {
            IsGood(wrong).Should().BeFalse();
        }

        _disk.Files[PathOf(1)][(int)one.Offset + 4000] ^= 1;
        IsGood(one).Should().BeFalse();
        IsGood(two).Should().BeTrue();
    }

    [Fact]
    public void A_head_that_names_more_entries_than_its_chunk_could_hold_is_corruption()
    {
        _journal.BeginSet(First);
        Complete(Template(1), [Add(5)], []);
        foreach (long count in (long[])[4096, long.MaxValue])
        {
            Span<byte> block = _disk.Files[PathOf(1)].AsSpan((int)First.Offset, ImageSetHead.SizeBytes);
            MemoryMarshal.AsRef<ImageSetHead>(block).ImageCount = count;
            MemoryMarshal.AsRef<ImageSetHead>(block).Checksum = Checksum.Compute(block[sizeof(ulong)..]);
            Action read = () => IsThere(First, 1);
            read.Should().Throw<StorageCorruptException>();
        }
    }

    [Fact]
    public void A_head_that_is_read_in_part_is_no_incomplete_image_set()
    {
        _journal.BeginSet(First);
        Complete(Template(1), [Add(5)], []);
        _disk.ReadLimit = static (_, read) => Math.Min(read, ImageSetHead.SizeBytes - 1);
        Action read = () => IsThere(First, 1);
        read.Should().Throw<StorageCorruptException>().WithMessage("Only *bytes*");
    }

    [Fact]
    public void A_chunk_that_cannot_be_mapped_is_an_error_and_no_missing_image()
    {
        _journal.BeginSet(First);
        ImageEntry entry = Add(5);
        Complete(Template(1), [entry], []);
        _disk.Fault = static (call, _) => call == "map" ? new IoError(IoErrorKind.Device, 12) : IoError.Success;
        Action locate = () => IsGood(entry);
        locate.Should().Throw<StorageIOException>();
        _disk.Fault = null;
        IsGood(entry).Should().BeTrue();
    }

    [Fact]
    public void A_chunk_that_cannot_be_opened_for_its_map_is_told_by_nothing()
    {
        _journal.BeginSet(First);
        Complete(Template(1), [Add(5)], []);
        _journal.TryOpenForMap(1, out long bytes).Should().NotBeNull();
        bytes.Should().Be(_disk.Files[PathOf(1)].Length);
        _disk.Fault = static (call, _) => call == "open" ? new IoError(IoErrorKind.Device, 24) : IoError.Success;
        _journal.TryOpenForMap(1, out _).Should().BeNull();
    }

    [Fact]
    public void An_image_set_given_up_leaves_the_chunk_of_its_head_alone()
    {
        _journal.BeginSet(First);
        JournalPosition place = Complete(Template(1), [Add(1)], []);
        IReadOnlyList<long> before = Sequences;
        _journal.AbandonSet();
        _journal.AbandonSet();
        Sequences.Should().Equal(before, "there is nothing to give up");
        _journal.BeginSet(place);
        for (int page = 0; page < 60; page++)
        {
            Add(page);
        }

        Sequences.Count.Should().BeGreaterThan(before.Count);
        _journal.AbandonSet();
        Sequences.Should().Equal(before);
        _journal.BeginSet(place);
        Complete(Template(2), [Add(3)], []);
        CheckImages(Read(place, 2));
        CheckImages(Read(First, 1));
    }

    private bool IsGood(ImageEntry entry)
    {
        using MappedImages images = new(_files, _files.ListChunks(ChunkKind.Pages));
        return images.TryLocate(entry, PageBytes, out IDiskFile? file, out nint address)
            && new PageOverlay(PageBytes).TryAdd(entry, file, address);
    }

    [Fact]
    public void An_image_set_given_up_leaves_nothing_and_the_next_begins_at_the_same_place()
    {
        _journal.BeginSet(First);
        JournalPosition place = Complete(Template(1), [Add(1)], []);
        for (int round = 0; round < 2; round++)
        {
            _journal.BeginSet(place);
            for (int page = 0; page < 30; page++)
            {
                Add(page);
            }

            IsThere(place, 2).Should().BeFalse();
            if (round == 0)
            {
                _journal.Dispose();
                _journal = Open();
            }
        }

        _journal.BeginSet(place);
        ImageEntry kept = Add(3);
        Complete(Template(2), [kept], []);
        CheckImages(Read(place, 2));
        CheckImages(Read(First, 1));
    }

    [Fact]
    public void A_run_longer_than_a_chunk_gets_one_of_its_own()
    {
        _journal.BeginSet(First);
        ImageEntry run = Add(50, 400);
        ImageEntry page = Add(51);
        Complete(Template(1), [run, page], []);
        ImageSet set = Read(First, 1);
        ImageOf(set.Images[0])[^1].Should().Be(50);
        run.Sequence.Should().Be(2);
    }

    [Fact]
    public void A_full_disk_before_the_head_is_clean()
    {
        _journal.BeginSet(First);
        _disk.CapacityBytes = _disk.Files.Values.Sum(file => (long)file.Length);
        Action add = () =>
        {
            for (int page = 0; page < 30; page++)
            {
                Add(page);
            }
        };
        add.Should().Throw<StorageFullException>();
        _disk.CapacityBytes = long.MaxValue;
        _journal.BeginSet(First);
        Complete(Template(1), [Add(1)], []);
        CheckImages(Read(First, 1));
    }

    [Fact]
    public void Recycling_keeps_what_is_named()
    {
        JournalPosition place = First;
        for (int k = 1; k <= 61; k++)
        {
            _journal.BeginSet(place);
            place = Complete(Template(k), [Add(k), Add(k + 100), Add(k + 200)], []);
        }

        IReadOnlyList<long> before = Sequences;
        before.Count.Should().BeGreaterThan(3);
        _journal.Recycle(place.Sequence, [before[1]], pace: null);
        Sequences.Should().Equal(before[1], place.Sequence);
        _journal.JournalBytes.Should().Be(_disk.Files.Values.Sum(file => (long)file.Length));
    }

    private PageJournal Open() => new(_files, _files.ListChunks(ChunkKind.Pages));

    private JournalPosition Complete(ImageSetHead head, List<ImageEntry> images, List<ImageEntry> deferred)
    {
        (head.ImageCount, head.DeferredCount) = (images.Count, deferred.Count);
        _journal.BeginTable(ref head);
        _journal.AddEntries(CollectionsMarshal.AsSpan(images));
        _journal.AddEntries(CollectionsMarshal.AsSpan(deferred));
        _journal.EndTable(ref head);
        return _journal.Complete(head);
    }

    private ImageEntry Add(long page, int count = 1)
    {
        byte[] image = new byte[count * PageBytes];
        image.AsSpan().Fill((byte)page);
        MemoryMarshal.Write(image.AsSpan(8), page);
        image[24] = (byte)(count > 1 ? PageKind.Overflow : PageKind.Leaf);
        MemoryMarshal.Write(image.AsSpan(28), count);
        MemoryMarshal.Write(image, Checksum.Compute(image.AsSpan(8)));
        return _journal.AddImage(new PageNumber(page), count, image);
    }

    private static ImageSetHead Template(long checkpoint) => new()
    {
        DatabaseIdLow = JournalWorld.Database.Low,
        DatabaseIdHigh = JournalWorld.Database.High,
        Checkpoint = checkpoint,
        TransactionId = new TransactionId(1000 + checkpoint),
        CommitSequence = 3,
        CommitOffset = 4096,
        CommitChecksum = 77,
    };

    private ImageSet Read(JournalPosition place, long checkpoint)
    {
        ImageSet? set = new ImageSetReader(_files).TryRead(place, checkpoint, out string reason);
        reason.Should().BeEmpty();
        return set!;
    }

    private bool IsThere(JournalPosition place, long checkpoint) => Reason(place, checkpoint).Length == 0;

    private string Reason(JournalPosition place, long checkpoint)
    {
        bool found = new ImageSetReader(_files).TryRead(place, checkpoint, out string reason) is not null;
        found.Should().Be(reason.Length == 0);
        return reason;
    }

    private void CheckImages(ImageSet set)
    {
        foreach (ImageEntry entry in set.Images)
        {
            ImageOf(entry)[^1].Should().Be((byte)entry.PageNumber.Value);
        }
    }

    /// <summary>The image of an entry, where the entry says that it stands.</summary>
    private byte[] ImageOf(ImageEntry entry)
    {
        byte[] image = _disk.Files[PathOf(entry.Sequence)][(int)entry.Offset..(int)(entry.Offset + (entry.PageCount * PageBytes))];
        BitConverter.ToUInt64(image).Should().Be(entry.Checksum);
        BitConverter.ToInt64(image, 8).Should().Be(entry.PageNumber.Value);
        return image;
    }

    private IReadOnlyList<long> Sequences => [.. _disk.Files.Keys.Where(path => path.EndsWith(".pages", StringComparison.Ordinal))
        .Select(path => long.Parse(Path.GetFileNameWithoutExtension(path), null)).Order()];

    private string PathOf(long sequence) => _files.PathOf(ChunkKind.Pages, sequence);
}

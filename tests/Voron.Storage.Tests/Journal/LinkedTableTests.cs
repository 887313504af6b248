using System.Runtime.InteropServices;
using FluentAssertions;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Tests.Commits;
using Xunit;

namespace Voron.Storage.Tests.Journal;

/// <summary>Image sets whose table has only what changed in the list of deferred pages, with a link to the list before.</summary>
public sealed class LinkedTableTests : IDisposable
{
    private const int PageBytes = 8192;
    private readonly TestDisk _disk = new();
    private readonly JournalFiles _files;
    private readonly PageJournal _journal;
    private JournalPosition _next = new(1, FormatConstants.ChunkBodyOffset);
    private JournalPosition _place;
    private long _checkpoint;

    public LinkedTableTests()
    {
        _files = new JournalFiles(_disk, JournalWorld.Folder, JournalWorld.Database);
        _journal = new PageJournal(_files, []);
    }

    public void Dispose() => _journal.Dispose();

    [Fact]
    public void A_linked_list_is_changed_by_entries_and_removals()
    {
        ImageEntry all = Write([Image(10), Image(11), Image(13)]);
        ImageEntry changed = Write([all, Image(12), Image(11, 7), Removal(13)]);
        Deferred().Should().Equal(Image(10), Image(11, 7), Image(12));
        Write([changed, Image(13, 9), Removal(10)]);
        Deferred().Should().Equal(Image(11, 7), Image(12), Image(13, 9));
        Write([changed]);
        Deferred().Should().Equal(Image(10), Image(11, 7), Image(12));
    }

    [Fact]
    public void A_table_without_a_link_is_the_list_as_it_is()
    {
        Write([Image(12), Image(10)]);
        Deferred().Should().Equal(Image(12), Image(10));
    }

    public static TheoryData<string> Forgeries =>
    [
        "no chunk", "no entries", "fewer entries", "more entries", "far too many entries", "other place", "not in the body", "later chunk",
        "itself", "over itself", "other checksum",
    ];

    [Theory]
    [MemberData(nameof(Forgeries))]
    public void A_link_to_anything_but_the_list_that_it_names_is_refused(string what)
    {
        ImageEntry link = Write([Image(10), Image(11)]);
        ImageEntry here = link with { Sequence = _next.Sequence, Offset = _next.Offset + ImageSet.HeadsBytes };
        Write([what switch
        {
            "no chunk" => link with { Sequence = 0 },
            "no entries" => link with { PageCount = 0 },
            "fewer entries" => link with { PageCount = 1 },
            "more entries" => link with { PageCount = 3 },
            "far too many entries" => link with { Sequence = 1, PageCount = long.MaxValue },
            "other place" => link with { Offset = link.Offset + ImageEntry.SizeBytes },
            "not in the body" => link with { Offset = -8 },
            "later chunk" => link with { Sequence = 1000 },
            "itself" => here with { PageCount = 2 },
            "over itself" => here with { Offset = here.Offset - ImageEntry.SizeBytes, PageCount = 2 },
            _ => link with { Checksum = link.Checksum ^ 1 },
        }, Image(12)]);
        Action read = () => Deferred();
        read.Should().Throw<StorageCorruptException>().WithMessage("Image set 2 in *1.pages' lists only what it changed*");
    }

    [Fact]
    public void A_removal_of_a_page_that_is_not_listed_is_refused()
    {
        ImageEntry link = Write([Image(10)]);
        Write([link, Removal(11)]);
        Action read = () => Deferred();
        read.Should().Throw<StorageCorruptException>().WithMessage("Image set 2 in *removes page 11*");
    }

    [Fact]
    public void A_list_behind_a_damaged_one_is_refused()
    {
        ImageEntry first = Write([Image(10), Image(11)]);
        ImageEntry second = Write([first, Image(12)]);
        Write([second, Image(13)]);
        Deferred().Should().HaveCount(4);
        foreach (ImageEntry part in (ImageEntry[])[first, second])
        {
            byte[] chunk = _disk.Files[_files.PathOf(ChunkKind.Pages, part.Sequence)];
            chunk[part.Offset + 50] ^= 1;
            Action read = () => Deferred();
            read.Should().Throw<StorageCorruptException>().WithMessage("Image set 3 in *lists only what it changed*");
            chunk[part.Offset + 50] ^= 1;
        }

        Deferred().Should().HaveCount(4);
    }

    /// <summary>Writes an image set with one image of its own and this deferred part. Returns the link to that part.</summary>
    private ImageEntry Write(ImageEntry[] deferred)
    {
        ImageSetHead head = new()
        {
            DatabaseIdLow = JournalWorld.Database.Low,
            DatabaseIdHigh = JournalWorld.Database.High,
            Checkpoint = ++_checkpoint,
            TransactionId = new TransactionId(_checkpoint),
            ImageCount = 1,
            DeferredCount = deferred.Length,
        };
        _place = _next;
        _journal.BeginSet(_place);
        _journal.BeginTable(ref head);
        _journal.AddEntries([Image(5)]);
        _journal.AddEntries(deferred);
        _journal.EndTable(ref head);
        _next = _journal.Complete(head);
        return new ImageEntry
        {
            Sequence = head.TableSequence,
            Offset = head.TableOffset + ImageEntry.SizeBytes,
            Checksum = Checksum.Compute(MemoryMarshal.AsBytes(deferred.AsSpan())),
            PageCount = deferred.Length,
        };
    }

    private IReadOnlyList<ImageEntry> Deferred()
    {
        ImageSet? set = new ImageSetReader(_files).TryRead(_place, _checkpoint, out string reason);
        reason.Should().BeEmpty();
        set!.Images.Should().Equal(Image(5));
        return set.Deferred;
    }

    private static ImageEntry Image(long page, int at = 1) =>
        new() { PageNumber = new PageNumber(page), Sequence = 1, Offset = at * PageBytes, Checksum = (ulong)(page * at), PageCount = 1 };

    private static ImageEntry Removal(long page) => new() { PageNumber = new PageNumber(page) };
}

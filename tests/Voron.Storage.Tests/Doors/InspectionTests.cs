using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Tests.Checks;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Pages and journals of databases that are not open, sound and damaged.</summary>
public sealed class InspectionTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Each_page_of_a_closed_database_is_sound_or_free()
    {
        Make(isClosed: true);
        DataFilePatch patch = new(_folder);
        HashSet<PageContent> seen = [];
        HashSet<long> inRuns = [];
        long pages = new FileInfo(Sample.Data(_folder)).Length / DataFilePatch.PageBytes;
        for (PageNumber page = default; page.Value < pages; page++)
        {
            PageReport report = StorageInspection.ReadPage(_folder.Path, page.Value);
            report.PageNumber.Should().Be(page.Value);
            report.Bytes.Length.Should().Be(DataFilePatch.PageBytes);
            if (page.Value < 2 || (patch.IsUsed(page) && !inRuns.Contains(page.Value)))
            {
                report.Problems.Should().BeEmpty("page {0} is in use", page);
                seen.Add(report.Content);
            }

            if (report.Content == PageContent.Overflow)
            {
                long count = long.Parse(report.Fields.Single(static field => field.Key == "PageCount").Value, null);
                inRuns.UnionWith(Enumerable.Range((int)page.Value, (int)count).Select(static number => (long)number));
            }
        }

        seen.Should().BeEquivalentTo(
            [PageContent.HeaderSlot, PageContent.Leaf, PageContent.Branch, PageContent.Overflow, PageContent.SpaceMap, PageContent.Empty],
            "the places of space maps are taken before there are maps");
        Action beyond = () => StorageInspection.ReadPage(_folder.Path, pages);
        beyond.Should().Throw<ArgumentOutOfRangeException>();
    }

    [Fact]
    public void A_leaf_shows_its_keys_and_a_branch_its_children()
    {
        Make(isClosed: true);
        DataFilePatch patch = new(_folder);
        PageReport root = StorageInspection.ReadPage(_folder.Path, patch.Root.Value);
        root.Content.Should().Be(PageContent.Branch);
        root.Entries[0].Page.Should().Be(patch.FirstLeaf.Value);
        root.Entries[1].Page.Should().Be(patch.SecondLeaf.Value);
        PageReport leaf = StorageInspection.ReadPage(_folder.Path, patch.FirstLeaf.Value);
        leaf.Entries[0].Key.ToArray().Should().Equal(Sample.Key(0));
        leaf.Entries[0].ValueBytes.Should().Be(40);
        leaf.Entries.Select(static entry => entry.Page).Should().OnlyContain(static page => page == -1);
    }

    [Fact]
    public void A_flipped_bit_anywhere_in_a_page_is_a_problem_of_it()
    {
        Make(isClosed: true);
        DataFilePatch patch = new(_folder);
        foreach (int offset in (int[])[0, 9, 17, 24, 26, 31, 40, 2000, 4095])
        {
            patch.Page(patch.FirstLeaf)[offset] ^= 0x40;
            patch.Save();
            StorageInspection.ReadPage(_folder.Path, patch.FirstLeaf.Value).Problems.Should().NotBeEmpty("byte {0} was changed", offset);
            patch.Page(patch.FirstLeaf)[offset] ^= 0x40;
        }
    }

    [Fact]
    public void Nodes_that_are_wrong_inside_are_decoded_as_far_as_they_go()
    {
        Make(isClosed: true);
        DataFilePatch patch = new(_folder);
        patch.Slot(patch.FirstLeaf, 3).Offset = 40;
        patch.Seal(patch.FirstLeaf);
        patch.Save();
        PageReport report = StorageInspection.ReadPage(_folder.Path, patch.FirstLeaf.Value);
        report.Problems.Should().ContainSingle().Which.Should().Contain("does not lie in the heap");
        report.Entries.Should().HaveCount(patch.Header(patch.FirstLeaf).Count - 1);
    }

    [Fact]
    public void A_page_that_was_cut_off_is_named()
    {
        Make(isClosed: true);
        using (FileStream file = File.OpenWrite(Sample.Data(_folder)))
        {
            file.SetLength((2 * DataFilePatch.PageBytes) + 100);
        }

        StorageInspection.ReadPage(_folder.Path, 2).Problems.Should().Contain(static problem => problem.Contains("cut short"));
    }

    [Fact]
    public void A_database_that_is_open_for_writing_is_left_alone()
    {
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path);
        Action page = () => StorageInspection.ReadPage(_folder.Path, 0);
        Action journal = () => StorageInspection.ReadJournal(_folder.Path);
        page.Should().Throw<StorageLockedException>();
        journal.Should().Throw<StorageLockedException>();
    }

    [Fact]
    public void The_journal_of_a_killed_process_shows_every_commit_and_what_was_lost_of_it()
    {
        string killed = Make(isClosed: false);
        List<JournalRecord> records = [];
        JournalReport report = StorageInspection.ReadJournal(killed, records.Add);
        report.Findings.Should().BeEmpty();
        report.Chunks.Where(static chunk => chunk.IsCommitChunk).Sum(static chunk => chunk.Records).Should().Be(3);
        report.Chunks.Max(static chunk => chunk.LastTransactionId).Should().Be(3);
        records.Select(static record => record.TransactionId).Should().Equal(1, 2, 3);
        records.Select(static record => record.FollowsPrevious).Should().Equal(false, true, true);

        Flip(records[1].File, records[1].Offset + 100);
        report = StorageInspection.ReadJournal(killed);
        report.Findings.Should().ContainSingle().Which.Should().Contain(records[1].File).And.Contain($"{records[2].Offset}");
        Flip(records[1].File, records[1].Offset + 100);

        Flip(records[2].File, records[2].Offset + 100);
        report = StorageInspection.ReadJournal(killed);
        report.Findings.Should().BeEmpty("the last write may have been cut short");
        report.Chunks.Single(static chunk => chunk.IsTorn).File.Should().Be(records[2].File);
    }

    [Fact]
    public void A_recovery_that_left_a_torn_write_behind_is_no_damage()
    {
        string killed = Make(isClosed: false);
        List<JournalRecord> records = [];
        StorageInspection.ReadJournal(killed, records.Add);
        Flip(records[2].File, records[2].Offset + 100);
        using (StorageEnvironment environment = StorageEnvironment.Open(killed, new StorageOptions
        {
            Engine = new() { Background = false },
        }))
        {
            Sample.Put(environment, 5000, 5010);
            Sample.Put(environment, 5010, 5020);
            string copy = Path.Combine(_folder.Path, "again");
            TemporaryFolder.Copy(killed, copy);
            JournalReport report = StorageInspection.ReadJournal(copy);
            report.Findings.Should().BeEmpty();
        }
    }

    [Fact]
    public void A_salvage_says_which_chunk_is_missing()
    {
        string killed = Make(isClosed: false);
        string chunk = StorageInspection.ReadJournal(killed).Chunks[0].File;
        File.Delete(chunk);
        SalvageReport report = StorageSalvage.Copy(killed, Path.Combine(_folder.Path, "saved"));
        report.Losses.Should().Contain(loss => loss.Message.Contains(chunk));
    }

    [Fact]
    public void A_salvage_tells_how_far_it_is()
    {
        Make(isClosed: true, valueBytes: 3000);
        List<SalvageProgress> progress = [];
        StorageSalvage.Copy(_folder.Path, Path.Combine(_folder.Path, "saved"), null, new Recorder(progress));
        progress.Should().NotBeEmpty().And.BeInAscendingOrder(static far => far.Bytes);
        progress[^1].Changes.Should().BeGreaterThan(1000);
    }

    private static void Flip(string file, long offset)
    {
        byte[] bytes = File.ReadAllBytes(file);
        bytes[offset] ^= 1;
        File.WriteAllBytes(file, bytes);
    }

    /// <summary>Three transactions; gives the folder, or that of a copy of what a killed process would have left.</summary>
    private string Make(bool isClosed, int valueBytes = 40)
    {
        StorageOptions options = new() { Engine = new() { Background = false }, PageSize = DataFilePatch.PageBytes };
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, options);
        Sample.Put(environment, 0, 2000, valueBytes);
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.OpenTree("other").Put("a"u8, "b"u8);
            Tree other = transaction.OpenTree("other");
            for (int i = 0; i < 500; i++)
            {
                other.Put(Sample.Key(i), Sample.Value(40, i));
            }

            transaction.Commit();
        }

        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.OpenTree("runs").Put("long"u8, Sample.Value(9000, 1));
            transaction.Commit();
        }

        if (isClosed)
        {
            return _folder.Path;
        }

        string copy = Path.Combine(_folder.Path, "killed");
        TemporaryFolder.Copy(_folder.Path, copy);
        return copy;
    }

    private sealed class Recorder(List<SalvageProgress> seen) : IProgress<SalvageProgress>
    {
        public void Report(SalvageProgress value) => seen.Add(value);
    }
}

using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Tests.Doors;
using Voron.Storage.Transactions;
using Voron.Storage.Versions;
using Xunit;

namespace Voron.Storage.Tests.Checks;

/// <summary>Every kind of damage that the data file can have, made on purpose: the check throws for none and names each.</summary>
public sealed class CheckDamageTests : IDisposable
{
    private static readonly StorageOptions Still = new() { Engine = new() { Background = false } };

    private static readonly Dictionary<string, Damage> Damages = new()
    {
        ["checksum"] = new(p => p.FirstLeaf, p => p.Page(p.FirstLeaf)[3000] ^= 1, "checksum", IsSealed: false),
        ["page number"] = new(p => p.FirstLeaf, p => p.Header(p.FirstLeaf).PageNumber++, "page number"),
        ["unknown kind"] = new(p => p.FirstLeaf, p => p.Header(p.FirstLeaf).Kind = (PageKind)9, "kind 9"),
        ["wrong kind"] = new(p => p.FirstLeaf, p => p.Header(p.FirstLeaf).Kind = PageKind.SpaceMap, "kind 4 is not that of a node"),
        ["count"] = new(p => p.FirstLeaf, p => p.Header(p.FirstLeaf).Count = 60_000, "60000 slots do not fit"),
        ["heap"] = new(p => p.FirstLeaf, p => p.Header(p.FirstLeaf).HeapUsedBytes = 4090, "4090 heap bytes do not fit"),
        ["prefix"] = new(
            p => p.FirstLeaf, p => p.Header(p.FirstLeaf).PrefixBytes = (ushort)(p.Header(p.FirstLeaf).HeapUsedBytes + 1), "the prefix of"),
        ["flags"] = new(p => p.FirstLeaf, p => p.Header(p.FirstLeaf).Flags = 1, "unknown flags 1"),
        ["transaction"] = new(p => p.FirstLeaf, p => p.Header(p.FirstLeaf).TransactionId = new(1 << 30), "is of a checkpoint that is lost"),
        ["entry outside"] = new(p => p.FirstLeaf, p => p.Slot(p.FirstLeaf, 0).Offset = 40, "does not lie in the heap"),
        ["head"] = new(p => p.FirstLeaf, p => p.Slot(p.FirstLeaf, 5).Head ^= 1, "entry 5 has the head"),
        ["value over the end"] = new(p => p.FirstLeaf, p => p.SetValueLength(p.FirstLeaf, 3, 4000), "runs over the page's end"),
        ["value too long"] = new(
            p => p.FirstLeaf, p => p.SetValueLength(p.FirstLeaf, p.LowestEntry(p.FirstLeaf), 2100), "a value of 2100 bytes inside"),
        ["overlap"] = new(p => p.FirstLeaf, p => p.SetValueLength(p.FirstLeaf, p.LowestEntry(p.FirstLeaf), 1000), "some overlap"),
        ["no reference"] = new(p => p.FirstLeaf, p => p.Slot(p.FirstLeaf, 4).KeyLength |= 0x8000, "an overflow reference of"),
        ["order"] = new(p => p.FirstLeaf, p => Swap(p, p.FirstLeaf, 6, 7), "the key of entry 7 is not above"),
        ["key too long"] = new(
            p => p.FirstLeaf, p => SetKeyLength(p, p.FirstLeaf, p.LowestEntry(p.FirstLeaf), 1100), "longer than a quarter of the page"),
        ["empty leaf"] = new(p => p.FirstLeaf, p => p.Header(p.FirstLeaf).Count = 0, "an empty leaf below the root"),
        ["bounds"] = new(p => p.SecondLeaf, p => ZeroKey(p, p.SecondLeaf, 0), "outside the bounds"),
        ["branch key"] = new(p => p.Root, p => p.Slot(p.Root, 0) = p.Slot(p.Root, 2), "entry 0 of a branch has a key"),
        ["branch overflow"] = new(p => p.Root, p => p.Slot(p.Root, 2).KeyLength |= 0x8000, "of a branch has an overflow value"),
        ["child 1"] = new(p => p.Root, p => p.SetChild(p.Root, 2, new PageNumber(1)), "entry 2 leads to page 1"),
        ["child far away"] = new(p => p.Root, p => p.SetChild(p.Root, 2, new PageNumber(1L << 40)), "beyond the database"),
        ["lonely child"] = new(p => p.Root, p => p.Header(p.Root).Count = 1, "a branch with 1 entries"),
        ["child twice"] = new(p => p.Root, p => p.SetChild(p.Root, 2, p.SecondLeaf), "is reached twice"),
        ["cycle"] = new(p => p.Root, p => p.SetChild(p.Root, 2, p.Root), "is reached twice"),
        ["depth"] = new(p => p.OtherRoot, p => p.SetChild(p.OtherRoot, 2, p.Root), "lies at depth 2, others of tree 'other' at 1"),
        ["in use, unreached"] = new(_ => new(3), p => p.SetUsed(FreePage(p), true), "is in use but nothing reaches it"),
        ["reached, free"] = new(_ => new(3), p => p.SetUsed(p.FirstLeaf, false), "is reached but marked free"),
        ["record length"] = new(_ => new(2), p => p.SetValueLength(new(2), p.CatalogIndex("other"), 23), "has 23 bytes instead of 24"),
        ["no name"] = new(_ => new(2), p => SetKeyLength(p, new(2), p.CatalogIndex("other"), 0), "a tree name of 0 bytes"),
        ["name too long"] = new(_ => new(2), p => SetKeyLength(p, new(2), p.CatalogIndex("streams"), 256), "a tree name of 256 bytes"),
        ["entry count"] = new(_ => new(2), p => p.Record("sample").EntryCount++, "its leaves hold"),
        ["tree kind"] = new(_ => new(2), p => p.Record("sample").Kind = (TreeKind)7, "names kind 7"),
        ["root page"] = new(_ => new(2), p => p.Record("sample").RootPage = new PageNumber(1), "which cannot be"),
        ["root far away"] = new(_ => new(2), p => p.Record("sample").RootPage = new PageNumber(long.MaxValue), "beyond the database"),
        ["catalog page"] = new(_ => new(2), p => p.Page(new(2))[4000] ^= 1, "checksum", IsSealed: false),
        ["run kind"] = new(
            p => p.Overflow(0).Run, p => p.Header(p.Overflow(0).Run).Kind = PageKind.SpaceMap, "an overflow run with a value"),
        ["run length"] = new(p => p.Overflow(0).Run, p => p.Header(p.Overflow(0).Run).HeapUsedBytes = 65_535, "a run of"),
        ["run content"] = new(p => p.Overflow(0).Run, p => p.Page(p.Overflow(0).Run + 1)[77] ^= 1, "checksum", IsSealed: false),
        ["value length"] = new(
            p => p.Overflow(0).Leaf,
            p => p.Reference(p.Overflow(0).Leaf, p.Overflow(0).Index).ValueBytes = 1L << 40,
            "with a value of 1099511627776"),
        ["list of pieces"] = new(p => p.PieceList.Run, p => p.Piece(1).FirstPage = new PageNumber(1), "a list of the pieces of a value"),
        ["list length"] = new(p => p.PieceList.Leaf, ShortenList, "31 bytes that are none"),
        ["list empty"] = new(p => p.PieceList.Leaf, EmptyList, "0 bytes that are none"),
        ["list content"] = new(
            p => p.PieceList.Run, p => p.Page(p.PieceList.Run)[2000] ^= 1, "checksum", IsSealed: false),
        ["piece far away"] = new(p => p.PieceList.Run, p => p.Piece(2).FirstPage = new PageNumber(1L << 40), "is named by another page"),
        ["piece length"] = new(p => p.PieceList.Run, p => p.Piece(0).ValueBytes = int.MaxValue, "with a value of 2147483647"),
        ["piece empty"] = new(p => p.PieceList.Run, p => p.Piece(0).ValueBytes = 0, "a list of the pieces of a value"),
        ["piece twice"] = new(p => p.PieceList.Run, p => p.Piece(2) = p.Piece(0), "is reached twice, the second time by the value"),
        ["piece content"] = new(
            p => p.Piece(1).FirstPage, p => p.Page(p.Piece(1).FirstPage + 1)[5] ^= 1, "checksum", IsSealed: false),
        ["run twice"] = new(p => p.Overflow(1).Leaf, ShareRun, "is reached twice, the second time by the value"),
    };

    private readonly TemporaryFolder _folder = new();

    public static TheoryData<string> Names => [.. Damages.Keys];

    public void Dispose() => _folder.Dispose();

    [Theory]
    [MemberData(nameof(Names))]
    public void Damage_is_named_and_thrown_for_nowhere(string name)
    {
        Damage damage = Damages[name];
        Make();
        DataFilePatch patch = new(_folder);
        PageNumber page = damage.PageOf(patch);
        damage.Make(patch);
        if (damage.IsSealed)
        {
            patch.Seal(page);
        }

        patch.Save();
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, Still);
        CheckReport report = environment.Check();
        report.Findings.Should().Contain(
            finding => finding.Message.Contains(damage.Words, StringComparison.Ordinal),
            "it found {0}",
            string.Join("; ", report.Findings));
        report.Findings.Should().OnlyContain(finding => finding.Message.Length > 20 && finding.Message.Length < 500);
    }

    [Fact]
    public void The_check_of_a_large_database_tells_how_far_it_is()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory(new StorageOptions { PageSize = 4096 });
        Sample.Put(environment, 0, 20_000, valueBytes: 1000);
        List<double> steps = [];
        environment.Check(new Steps(steps)).Findings.Should().BeEmpty();
        steps.Should().BeInAscendingOrder().And.Contain(step => step > 0 && step < 1);
        environment.Check().Findings.Should().BeEmpty("nobody needs to listen");
    }

    private sealed class Steps(List<double> seen) : IProgress<double>
    {
        public void Report(double value) => seen.Add(value);
    }

    [Fact]
    public void A_tree_of_another_kind_is_refused_at_the_door_and_others_are_not()
    {
        Make();
        DataFilePatch patch = new(_folder);
        patch.Record("sample").Kind = (TreeKind)7;
        patch.Seal(FormatConstants.CatalogRootPage);
        patch.Save();
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, Still);
        using ReadTransaction read = environment.BeginRead();
        using WriteTransaction write = environment.BeginWrite();
        Action openToRead = () => read.TryOpenTree("sample", out _);
        Action openToWrite = () => write.OpenTree("sample");
        Action drop = () => write.DropTree("sample");
        Action rename = () => write.RenameTree("other", "sample");
        foreach (Action refused in (Action[])[openToRead, openToWrite, drop, rename])
        {
            refused.Should().Throw<TreeKindMismatchException>().Which.Message.Should().Contain("'sample'").And.Contain("7");
        }

        write.OpenTree("other").Count.Should().Be(1000, "what was refused changed nothing");
        write.Commit();
    }

    [Fact]
    public void A_space_map_that_is_none_any_more_is_named()
    {
        Make();
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, Still);
        environment.Check().IsClean.Should().BeTrue();
        using (FileStream file = new(Sample.Data(_folder), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite))
        {
            byte[] page = new byte[DataFilePatch.PageBytes];
            file.Position = 3 * DataFilePatch.PageBytes;
            file.ReadExactly(page);
            page[24] = (byte)PageKind.Leaf;
            Voron.Storage.Versions.PageImage.Seal(page);
            file.Position = 3 * DataFilePatch.PageBytes;
            file.Write(page);
        }

        CheckReport report = environment.Check();
        report.Findings.Should().ContainSingle().Which.PageNumber.Should().Be(3);
        report.Findings[0].Message.Should().Contain("should be a space map");
    }

    [Fact]
    public async Task It_runs_beside_writers_and_checkpoints_and_tells_how_far_it_is()
    {
        using StorageEnvironment environment = StorageEnvironment.Open(
            _folder.Path, new StorageOptions { JournalSoftLimitBytes = 64 << 10 });
        Sample.Put(environment, 0, 20_000, 200);
        using CancellationTokenSource stop = new();
        Task writer = Task.Run(() =>
        {
            for (int i = 0; !stop.IsCancellationRequested; i++)
            {
                using WriteTransaction transaction = environment.BeginWrite();
                Tree tree = transaction.OpenTree(Sample.Tree);
                tree.DeleteRange(Sample.Key(i * 17 % 20_000), Sample.Key((i * 17 % 20_000) + 300));
                tree.Put(Sample.Key(i * 31 % 20_000), new byte[i % 6000]);
                transaction.Commit(CommitMode.Buffered);
            }
        });
        List<double> progress = [];
        for (int i = 0; i < 20; i++)
        {
            environment.Check(new Recorder(progress)).Findings.Should().BeEmpty();
        }

        await stop.CancelAsync();
        await writer;
        progress.Should().Contain(1.0).And.OnlyContain(part => part >= 0 && part <= 1);
        using CancellationTokenSource cancelled = new();
        await cancelled.CancelAsync();
        Action check = () => environment.Check(null, cancelled.Token);
        check.Should().Throw<OperationCanceledException>();
    }

    [Fact]
    public void A_cursor_that_has_met_a_damaged_leaf_goes_on_only_from_a_new_position()
    {
        Make();
        DataFilePatch patch = new(_folder);
        patch.Page(patch.SecondLeaf)[3000] ^= 1;
        patch.Save();
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, Still);
        using ReadTransaction reader = environment.BeginRead();
        ExpectLost(reader.OpenTree(Sample.Tree));
        using WriteTransaction writer = environment.BeginWrite();
        ExpectLost(writer.OpenTree(Sample.Tree));
        ReadOnlyMemory<byte>[] keys = [.. Enumerable.Range(0, 200).Select(static i => (ReadOnlyMemory<byte>)Sample.Key(i))];
        TreeLookups lookups = reader.OpenTree(Sample.Tree).GetMany(keys);
        ExpectError<StorageCorruptException>(ref lookups, static (ref TreeLookups all) => all.MoveNext());
        ExpectError<StorageCorruptException>(ref lookups, static (ref TreeLookups all) => all.MoveNext());
    }

    [Fact]
    public void What_is_in_a_sound_leaf_is_found_though_the_next_leaf_is_damaged()
    {
        Make();
        DataFilePatch patch = new(_folder);
        patch.Page(patch.SecondLeaf)[3000] ^= 1;
        patch.Save();
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, Still);
        using ReadTransaction reader = environment.BeginRead();
        ReadTree tree = reader.OpenTree(Sample.Tree);
        Cursor cursor = tree.OpenCursor();
        byte[] last = [];
        ExpectError<StorageCorruptException>(ref cursor, (ref Cursor one) =>
        {
            one.MoveNext();
            last = one.Key.ToArray();
            return true;
        });
        byte[] behind = [.. last, 0];
        cursor.SeekFloor(behind).Should().BeTrue();
        cursor.Key.SequenceEqual(last).Should().BeTrue();
        ExpectError<StorageCorruptException>(ref cursor, (ref Cursor one) => one.Seek(behind)).Should().Be(0);
        cursor.Dispose();
        tree.TryGetFloor(behind, out TreeEntry floor).Should().BeTrue();
        floor.Key.SequenceEqual(last).Should().BeTrue();

        // A cursor whose row is gone is in the gap behind the leaf's last row, and the way back does not lead over the next leaf.
        using WriteTransaction writer = environment.BeginWrite();
        Tree changed = writer.OpenTree(Sample.Tree);
        WriteCursor stays = changed.OpenCursor();
        stays.SeekFloor(behind).Should().BeTrue();
        changed.Delete(last);
        stays.HasRow.Should().BeFalse();
        stays.MovePrevious().Should().BeTrue();
        stays.Key.SequenceCompareTo(last).Should().BeNegative();
        stays.Dispose();
    }

    private static void ExpectLost(ReadTree tree)
    {
        Cursor moved = tree.OpenCursor();
        moved.MoveFirst().Should().BeTrue();
        int rows = ExpectError<StorageCorruptException>(ref moved, static (ref Cursor one) => one.MoveNext());
        rows.Should().BeGreaterThan(3);
        moved.HasRow.Should().BeFalse();
        ExpectError<InvalidOperationException>(ref moved, static (ref Cursor one) => one.MoveNext()).Should().Be(0);
        ExpectError<InvalidOperationException>(ref moved, static (ref Cursor one) => one.MovePrevious()).Should().Be(0);
        moved.Seek(Sample.Key(1500)).Should().BeTrue();
        moved.MovePrevious().Should().BeTrue();
        moved.MoveLast().Should().BeTrue();
        ExpectError<StorageCorruptException>(ref moved, static (ref Cursor one) => one.MovePrevious()).Should().BeGreaterThan(3);
        ExpectError<InvalidOperationException>(ref moved, static (ref Cursor one) => one.MovePrevious()).Should().Be(0);
        moved.Dispose();

        // Also where the first search meets it: what follows must not come from elsewhere.
        TreeEnumerator range = tree.From(Sample.Key(rows + 3)).GetEnumerator();
        ExpectError<StorageCorruptException>(ref range, static (ref TreeEnumerator one) => one.MoveNext()).Should().Be(0);
        ExpectError<InvalidOperationException>(ref range, static (ref TreeEnumerator one) => one.MoveNext()).Should().Be(0);
        range.Dispose();
    }

    /// <summary>Moves until the error comes; gives the moves that succeeded.</summary>
    private static int ExpectError<TError>(ref Cursor moved, Move<Cursor> move)
        where TError : Exception => ExpectErrorOf<TError, Cursor>(ref moved, move);

    private static int ExpectError<TError>(ref TreeEnumerator moved, Move<TreeEnumerator> move)
        where TError : Exception => ExpectErrorOf<TError, TreeEnumerator>(ref moved, move);

    private static int ExpectError<TError>(ref TreeLookups moved, Move<TreeLookups> move)
        where TError : Exception => ExpectErrorOf<TError, TreeLookups>(ref moved, move);

    private static int ExpectErrorOf<TError, T>(ref T moved, Move<T> move)
        where TError : Exception
        where T : allows ref struct
    {
        for (int moves = 0; moves < 10_000; moves++)
        {
            try
            {
                move(ref moved).Should().BeTrue();
            }
            catch (TError)
            {
                return moves;
            }
        }

        throw new InvalidOperationException("No error came.");
    }

    private delegate bool Move<T>(ref T moved)
        where T : allows ref struct;

    private static void Swap(DataFilePatch patch, PageNumber page, int first, int second) =>
        (patch.Slot(page, first), patch.Slot(page, second)) = (patch.Slot(page, second), patch.Slot(page, first));

    /// <summary>
    /// A longer key goes on through the value and the entries behind it, an empty one leaves its bytes to the value; its head stays true.
    /// </summary>
    private static void SetKeyLength(DataFilePatch patch, PageNumber page, int index, int bytes)
    {
        patch.Slot(page, index).KeyLength = (ushort)bytes;
        patch.Slot(page, index).Head = bytes == 0 ? 0 : BinaryPrimitives.ReadUInt32BigEndian(patch.Entry(page, index)[sizeof(ushort)..]);
    }

    private static void ZeroKey(DataFilePatch patch, PageNumber page, int index)
    {
        patch.Entry(page, index).Slice(sizeof(ushort), patch.Slot(page, index).KeyLength).Clear();
        patch.Slot(page, index).Head = 0;
        patch.Header(page).PrefixBytes = 0;
    }

    private static void ShortenList(DataFilePatch patch)
    {
        (PageNumber leaf, int index, _) = patch.PieceList;
        patch.Reference(leaf, index).ValueBytes = 31 | OverflowReference.ListFlag;
    }

    private static void EmptyList(DataFilePatch patch)
    {
        (PageNumber leaf, int index, _) = patch.PieceList;
        patch.Reference(leaf, index).ValueBytes = OverflowReference.ListFlag;
    }

    private static void ShareRun(DataFilePatch patch)
    {
        (PageNumber leaf, int index, _) = patch.Overflow(1);
        patch.Reference(leaf, index).FirstPage = patch.Overflow(0).Run;
    }

    private static PageNumber FreePage(DataFilePatch patch)
    {
        PageNumber page = patch.Root;
        while (patch.IsUsed(page))
        {
            page++;
        }

        return page;
    }

    private void Make()
    {
        using StorageEnvironment environment = StorageEnvironment.Open(
            _folder.Path, new StorageOptions
            {
                Engine = new() { Background = false, ValuePieceBytes = 8192 },
                PageSize = DataFilePatch.PageBytes,
            });
        Sample.Put(environment, 0, 2000, 40);
        using WriteTransaction transaction = environment.BeginWrite();
        transaction.OpenTree(new string('t', FormatConstants.MaxNameBytes)).Put("a"u8, "1"u8);
        Tree tree = transaction.OpenTree("other");
        for (int i = 0; i < 1000; i++)
        {
            tree.Put(Sample.Key(i), Sample.Value(40, i));
        }

        transaction.OpenTree("runs").Put("a"u8, Sample.Value(6000, 1));
        transaction.OpenTree("runs").Put("b"u8, Sample.Value(6000, 2));
        transaction.OpenTree("runs").Put("c"u8, Sample.Value(6000, 3));
        PipeWriter writer = transaction.OpenTree("streams").OpenValueWriter("s"u8);
        writer.Write(Sample.Value(20_000, 4));
        writer.Complete();
        transaction.Commit();
    }

    private sealed record Damage(Func<DataFilePatch, PageNumber> PageOf, Action<DataFilePatch> Make, string Words, bool IsSealed = true);

    private sealed class Recorder(List<double> values) : IProgress<double>
    {
        public void Report(double value) => values.Add(value);
    }
}

using System.Buffers.Binary;
using System.Runtime.InteropServices;
using FluentAssertions;
using Voron.Storage.Format;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Damaged, missing and mixed-up files: a typed refusal that names the file, and not a byte changed.</summary>
public sealed class DamageTests : IDisposable
{
    private const int Page = 8192;
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(Page * 2)]
    [InlineData(Page * 3)]
    [InlineData(Page * 10)]
    [InlineData(200)]
    [InlineData(64)]
    public void A_truncated_data_file_is_corrupt(int bytes)
    {
        Make(checkpoint: true);
        using (FileStream file = File.OpenWrite(Sample.Data(_folder)))
        {
            file.SetLength(bytes);
        }

        ExpectRefusal<StorageCorruptException>();
    }

    [Fact]
    public void A_newer_format_version_is_named()
    {
        Make(checkpoint: true);
        PatchSlots(both: true, static slot => BinaryPrimitives.WriteUInt32LittleEndian(slot.AsSpan(16), 7), reseal: true);
        ExpectRefusal<FormatVersionException>().Message.Should().Contain("version 7").And.Contain("reads versions 1 and 2");
    }

    [Fact]
    public void A_newer_format_version_in_one_slot_is_not_passed_over()
    {
        Make(checkpoint: true);
        PatchSlots(both: false, static slot => BinaryPrimitives.WriteUInt32LittleEndian(slot.AsSpan(16), 7), reseal: true);
        ExpectRefusal<FormatVersionException>();
    }

    [Fact]
    public void Both_header_slots_damaged_is_corrupt()
    {
        Make(checkpoint: true);
        PatchSlots(both: true, static slot => slot[50] ^= 0x10, reseal: false);
        ExpectRefusal<StorageCorruptException>().File.Should().Be(Sample.Data(_folder));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Both_header_slots_overwritten_is_a_damaged_database_and_not_a_foreign_file(bool withZeros)
    {
        Make(checkpoint: true);
        byte[] file = File.ReadAllBytes(Sample.Data(_folder));
        new Random(1).NextBytes(file.AsSpan(0, 2 * Page));
        file.AsSpan(0, withZeros ? 2 * Page : 0).Clear();
        File.WriteAllBytes(Sample.Data(_folder), file);
        ExpectRefusal<StorageCorruptException>().Message.Should().Contain("Both header slots").And.Contain("StorageSalvage.Copy");
        file.AsSpan(2 * Page).Clear();
        File.WriteAllBytes(Sample.Data(_folder), file);
        ExpectRefusal<StorageCorruptException>().Message.Should().Contain("journal is beside it");
        Directory.Delete(Path.Combine(_folder.Path, "journal"), recursive: true);
        ExpectRefusal<NotADatabaseException>();
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void One_damaged_header_slot_is_no_harm(int slot)
    {
        Make(checkpoint: true);
        byte[] file = File.ReadAllBytes(Sample.Data(_folder));
        file.AsSpan(slot * Page, 128).Clear();
        File.WriteAllBytes(Sample.Data(_folder), file);
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path);
        Sample.Expect(environment, 2000);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_deleted_commit_chunk_that_is_needed_is_missed(bool checkpoint)
    {
        Make(checkpoint);
        string[] chunks = Directory.GetFiles(Sample.Journal(_folder), "*.commit");
        Array.Sort(chunks, StringComparer.Ordinal);
        chunks.Should().HaveCountGreaterThan(2);
        for (int i = 0; i < chunks.Length - 1; i++)
        {
            byte[] kept = File.ReadAllBytes(chunks[i]);
            File.Delete(chunks[i]);
            Action open = () => StorageEnvironment.Open(_folder.Path).Dispose();
            open.Should().Throw<CorruptJournalException>("chunk {0} of {1} is missing", i + 1, chunks.Length)
                .Which.Message.Should().Contain("journal").And.Contain("estore a backup");
            File.WriteAllBytes(chunks[i], kept);
        }

        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path);
        Sample.Expect(environment, 2000);
    }

    [Fact]
    public void A_deleted_page_chunk_that_is_needed_is_missed()
    {
        Make(checkpoint: true);
        foreach (string chunk in Directory.GetFiles(Sample.Journal(_folder), "*.pages"))
        {
            File.Delete(chunk);
        }

        ExpectRefusal<StorageCorruptException>();
    }

    [Fact]
    public void A_bad_record_before_acknowledged_ones_is_corrupt()
    {
        Make(checkpoint: false);
        string chunk = Directory.GetFiles(Sample.Journal(_folder), "*.commit").Order(StringComparer.Ordinal).First();
        byte[] bytes = File.ReadAllBytes(chunk);
        bytes[4096 + 200] ^= 1;
        File.WriteAllBytes(chunk, bytes);
        CorruptJournalException error = ExpectRefusal<CorruptJournalException>();
        error.File.Should().Be(chunk);
        error.Offset.Should().Be(4096);
    }

    [Fact]
    public void A_journal_without_its_data_file_is_not_built_over()
    {
        Make(checkpoint: true);
        File.Delete(Sample.Data(_folder));
        ExpectRefusal<StorageCorruptException>().Message.Should().Contain("no data file");
        File.Exists(Sample.Data(_folder)).Should().BeFalse();
    }

    [Fact]
    public void A_journal_of_another_database_is_not_taken()
    {
        Make(checkpoint: true);
        using TemporaryFolder other = new();
        Make(checkpoint: true, other);
        Directory.Delete(Sample.Journal(_folder), recursive: true);
        TemporaryFolder.Copy(Sample.Journal(other), Sample.Journal(_folder));
        Action open = () => StorageEnvironment.Open(_folder.Path).Dispose();
        open.Should().Throw<StorageException>().Which.Should().Match(e => e is StorageCorruptException || e is CorruptJournalException);
    }

    [Fact]
    public void Chunks_of_another_database_beside_our_own_are_ignored()
    {
        Make(checkpoint: true);
        using TemporaryFolder other = new();
        Make(checkpoint: true, other);
        foreach (string chunk in Directory.GetFiles(Sample.Journal(other)))
        {
            string target = Path.Combine(Sample.Journal(_folder), "9" + Path.GetFileName(chunk)[1..]);
            File.Copy(chunk, target);
        }

        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path);
        Sample.Expect(environment, 2000);
        Sample.Put(environment, 2000, 2100);
        Sample.Expect(environment, 2100);
    }

    [Fact]
    public void Every_damaged_page_is_found_by_the_check_or_when_it_is_read()
    {
        using (StorageEnvironment environment = StorageEnvironment.Open(_folder.Path))
        {
            Sample.Put(environment, 0, 2000);
        }

        byte[] good = File.ReadAllBytes(Sample.Data(_folder));
        int used = 0;
        for (int page = 2; page < good.Length / Page; page++)
        {
            byte[] bad = (byte[])good.Clone();
            bad[(page * Page) + 60] ^= 4;
            File.WriteAllBytes(Sample.Data(_folder), bad);
            bool found;
            try
            {
                using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path);
                CheckReport report = environment.Check();
                found = !report.IsClean;
                report.Findings.Count(static finding => finding.ToString().Length <= 20).Should().Be(0);
            }
            catch (StorageCorruptException error)
            {
                error.Message.Should().Contain("estore a backup");
                found = true;
            }

            used += found ? 1 : 0;
        }

        used.Should().BeGreaterThan(10);
        File.WriteAllBytes(Sample.Data(_folder), good);
        using StorageEnvironment whole = StorageEnvironment.Open(_folder.Path);

        // Not free and yet never read: the two header pages, and the places of seven space maps that are not needed yet.
        whole.GetReport().FreeBytes.Should().Be(good.Length - ((used + 9L) * Page));
        Sample.Expect(whole, 2000);
    }

    [Fact]
    public void A_page_size_that_differs_is_a_wrong_argument()
    {
        Make(checkpoint: true);
        Action open = () => StorageEnvironment.Open(_folder.Path, new StorageOptions { PageSize = 4096 });
        open.Should().Throw<ArgumentException>().Which.Message.Should().Contain("8192").And.Contain("4096").And.Contain("null");
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, new StorageOptions { PageSize = 8192 });
        Sample.Expect(environment, 2000);
    }

    /// <summary>A database as a killed process leaves it: everything in the journal, or half of it behind a checkpoint.</summary>
    private void Make(bool checkpoint, TemporaryFolder? folder = null)
    {
        folder ??= _folder;
        using TemporaryFolder live = new();
        using StorageEnvironment environment = StorageEnvironment.Open(live.Path);
        for (int i = 0; i < 2000; i += 20)
        {
            Sample.Put(environment, i, i + 20);
            if (checkpoint && i == 200)
            {
                environment.Checkpoint();
            }
        }

        TemporaryFolder.Copy(live.Path, folder.Path);
    }

    private TException ExpectRefusal<TException>()
        where TException : StorageException
    {
        Dictionary<string, byte[]> before = Sample.Files(_folder);
        Action open = () => StorageEnvironment.Open(_folder.Path).Dispose();
        TException error = open.Should().Throw<TException>().Which;
        error.Message.Should().Contain(_folder.Path);
        Dictionary<string, byte[]> after = Sample.Files(_folder);
        after.Keys.Should().BeEquivalentTo(before.Keys, "a refused open creates and deletes nothing");
        foreach ((string path, byte[] bytes) in before)
        {
            if (path == Sample.Data(_folder) && error is CorruptJournalException)
            {
                // Before the journal is read, the base's slot is written again; that is no harm and repeated at every open.
                bytes.AsSpan(0, HeaderSlot.SizeBytes).Clear();
                bytes.AsSpan(Page, HeaderSlot.SizeBytes).Clear();
                after[path].AsSpan(0, HeaderSlot.SizeBytes).Clear();
                after[path].AsSpan(Page, HeaderSlot.SizeBytes).Clear();
            }

            after[path].AsSpan().SequenceEqual(bytes).Should().BeTrue("{0} is left as it was", path);
        }

        return error;
    }

    private void PatchSlots(bool both, Action<byte[]> patch, bool reseal)
    {
        byte[] file = File.ReadAllBytes(Sample.Data(_folder));
        long newest = Math.Max(BitConverter.ToInt64(file, 40), BitConverter.ToInt64(file, Page + 40));
        foreach (int offset in (int[])[0, Page])
        {
            byte[] slot = file[offset..(offset + HeaderSlot.SizeBytes)];
            if (!both && MemoryMarshal.Read<HeaderSlot>(slot).Generation != newest)
            {
                continue;
            }

            patch(slot);
            if (reseal)
            {
                BinaryPrimitives.WriteUInt64LittleEndian(slot, Checksum.Compute(slot.AsSpan(8)));
            }

            slot.CopyTo(file, offset);
        }

        File.WriteAllBytes(Sample.Data(_folder), file);
    }
}

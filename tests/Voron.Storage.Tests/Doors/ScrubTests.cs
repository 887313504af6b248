using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>The check with a rate: it reads the file itself, whatever was verified before.</summary>
public sealed class ScrubTests : IDisposable
{
    private const int Page = 4096;
    private const long Fast = 1L << 40;
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void A_sound_database_is_clean_also_while_checkpoints_run()
    {
        using StorageEnvironment environment = Make();
        Steps steps = new();
        environment.Check(Fast, steps).Findings.Should().BeEmpty();
        steps.Seen.Should().BeInAscendingOrder();
        steps.Seen[^1].Should().Be(1.0);
        using CancellationTokenSource stop = new();
        Thread writer = new(() =>
        {
            for (int round = 0; !stop.IsCancellationRequested; round++)
            {
                Sample.Put(environment, round * 50, (round * 50) + 400, valueBytes: 20 + (round % 2 * 3000));
                environment.Checkpoint();
            }
        });
        writer.Start();
        for (int i = 0; i < 20; i++)
        {
            environment.Check(Fast).Findings.Should().BeEmpty();
        }

        stop.Cancel();
        writer.Join();
    }

    /// <summary>
    /// One page of a run is read in the file, so that the whole run waits in the page journal: the others were never written.
    /// </summary>
    [Fact]
    public void A_run_whose_image_waits_for_a_reader_is_sound()
    {
        const int Trees = 30;
        using StorageEnvironment environment =
            StorageEnvironment.Open(_folder.Path, new StorageOptions { Engine = new() { Background = false }, PageSize = Page });
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            for (int i = 0; i < Trees; i++)
            {
                transaction.OpenTree($"t{i}").Put("k"u8, "v"u8);
            }

            transaction.Commit();
        }

        environment.Checkpoint();
        using ReadTransaction reader = environment.BeginRead();
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.DropTree($"t{Trees - 1}");
            transaction.OpenTree("t0").Put("run"u8, new byte[5 * Page]);
            transaction.Commit();
        }

        environment.Checkpoint();
        environment.Check(Fast).Findings.Should().BeEmpty();
        reader.OpenTree($"t{Trees - 1}").Count.Should().Be(1);
    }

    [Fact]
    public void Damage_behind_a_page_that_was_verified_is_found()
    {
        using StorageEnvironment environment = Make();
        environment.Check().Findings.Should().BeEmpty();
        int page = Damage(static (file, at) => file[at + 300] ^= 1);
        environment.Check().Findings.Should().Contain(finding => finding.PageNumber == page);
        environment.Check(Fast).Findings.Should().Contain(finding => finding.PageNumber == page);
    }

    [Fact]
    public void A_lost_write_is_found_although_the_page_is_sound()
    {
        using StorageEnvironment environment = Make();
        byte[] before = File(_folder);
        Sample.Put(environment, 0, 50, valueBytes: 21);
        environment.Checkpoint();
        byte[] after = File(_folder);
        int lost = Enumerable.Range(2, (before.Length / Page) - 2).Last(page =>
            !after.AsSpan(page * Page, Page).SequenceEqual(before.AsSpan(page * Page, Page))
            && BitConverter.ToInt64(before, (page * Page) + 8) == page
            && before[(page * Page) + 24] == 1);
        Write(lost * Page, before.AsSpan(lost * Page, Page).ToArray());
        environment.Check(Fast).Findings.Should().Contain(finding =>
            finding.PageNumber == lost && finding.Message.Contains("write was lost", StringComparison.Ordinal));
    }

    [Fact]
    public void The_rate_and_the_token_are_respected()
    {
        using StorageEnvironment environment = Make();
        Action none = () => environment.Check(0L);
        none.Should().Throw<ArgumentOutOfRangeException>();
        using CancellationTokenSource cancel = new();
        Steps steps = new() { OnStep = _ => cancel.Cancel() };
        Action cancelled = () => environment.Check(1, steps, cancel.Token);
        cancelled.Should().Throw<OperationCanceledException>("at a byte a second it would take years");
    }

    [Fact]
    public void A_read_only_environment_can_be_scrubbed()
    {
        Make().Dispose();
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, new StorageOptions { ReadOnly = true });
        environment.Check(Fast).Findings.Should().BeEmpty();
    }

    [Fact]
    public void A_space_map_that_is_damaged_from_the_start_is_named_and_the_rest_is_scrubbed()
    {
        Make().Dispose();
        byte[] file = File(_folder);
        file[(3 * Page) + 100] ^= 1;
        Write(3 * Page, file.AsSpan(3 * Page, Page).ToArray());
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, new StorageOptions
        {
            Engine = new() { Background = false },
        });
        environment.Check(Fast).Findings.Should().ContainSingle().Which.PageNumber.Should().Be(3);
    }

    [Fact]
    public void A_long_value_is_read_in_pieces()
    {
        using StorageEnvironment environment = Make();
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.OpenTree("large").Put("long"u8, new byte[16 << 20]);
            transaction.Commit();
        }

        environment.Checkpoint();
        environment.Check(Fast);
        Allocations.Least(() => environment.Check(Fast).Findings.Should().BeEmpty(), rounds: 2).Should().BeLessThan(4 << 20);
        int page = Damage(static (file, at) => file[at + (12 << 20)] ^= 1, kind: 3);
        environment.Check(Fast).Findings.Should().Contain(finding => finding.PageNumber == page && finding.Message.Contains("damaged"));
    }

    private StorageEnvironment Make()
    {
        StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, new StorageOptions { PageSize = Page });
        Sample.Put(environment, 0, 3000);
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.OpenTree("large").Put("value"u8, Sample.Value(300_000, 1));
            transaction.Commit();
        }

        environment.Checkpoint();
        return environment;
    }

    /// <summary>Changes the last page of a kind in the file in place, as rot would, and gives its number.</summary>
    private int Damage(Action<byte[], int> change, byte kind = 1)
    {
        byte[] file = File(_folder);
        int page = Enumerable.Range(3, (file.Length / Page) - 3).Last(number =>
            BitConverter.ToInt64(file, (number * Page) + 8) == number && file[(number * Page) + 24] == kind);
        change(file, page * Page);
        Write(page * Page, file.AsSpan(page * Page).ToArray());
        return page;
    }

    private static byte[] File(TemporaryFolder folder)
    {
        using FileStream file = new(Sample.Data(folder), FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        byte[] bytes = new byte[file.Length];
        file.ReadExactly(bytes);
        return bytes;
    }

    private void Write(int offset, byte[] bytes)
    {
        using FileStream file = new(Sample.Data(_folder), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
        file.Position = offset;
        file.Write(bytes);
    }

    private sealed class Steps : IProgress<double>
    {
        internal List<double> Seen { get; } = [];

        internal Action<double>? OnStep { get; init; }

        public void Report(double value)
        {
            Seen.Add(value);
            OnStep?.Invoke(value);
        }
    }
}

using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>What the file system and readers are given, and what is given back.</summary>
public class FreeSpaceTests
{
    private const int Keys = 400;
    private const int ValueBytes = 20_000;

    private static StorageOptions Options => new() { Engine = new() { Background = false } };

    [Fact]
    public void A_large_free_run_in_the_middle_is_given_back_and_used_again()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Files have no holes on Windows.");
        using TemporaryFolder folder = new();
        using StorageEnvironment environment = StorageEnvironment.Open(folder.Path, Options);
        Sample.Put(environment, 0, Keys, ValueBytes);
        environment.Checkpoint();
        DeleteMiddle(environment);
        environment.Checkpoint();
        environment.GetReport().PunchedBytes.Should().Be(0, "the older header slot still has these pages");
        Sample.Put(environment, 0, 1, ValueBytes);
        environment.Checkpoint();
        EnvironmentReport punched = environment.GetReport();
        punched.PunchedBytes.Should().BeGreaterThan(Keys / 2 * ValueBytes);
        punched.PunchedBytes.Should().BeLessThan(punched.FreeBytes);
        Expect(environment);
        Sample.Put(environment, 50, 150, ValueBytes);
        environment.Checkpoint();
        environment.GetReport().PunchedBytes.Should().BeLessThan(punched.PunchedBytes, "pages in use are no hole");
        Sample.Put(environment, 0, Keys, ValueBytes);
        environment.Checkpoint();
        Sample.Expect(environment, Keys, ValueBytes);
    }

    [Fact]
    public void A_reader_that_sees_a_free_run_keeps_it()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Files have no holes on Windows.");
        using TemporaryFolder folder = new();
        using StorageEnvironment environment = StorageEnvironment.Open(folder.Path, Options);
        Sample.Put(environment, 0, Keys, ValueBytes);
        environment.Checkpoint();
        using (ReadTransaction reader = environment.BeginRead())
        {
            DeleteMiddle(environment);
            for (int i = 0; i < 3; i++)
            {
                environment.Checkpoint();
                Sample.Put(environment, 0, 1, ValueBytes);
            }

            environment.Checkpoint();
            environment.GetReport().PunchedBytes.Should().Be(0);
            reader.TryOpenTree(Sample.Tree, out ReadTree tree).Should().BeTrue();
            for (int i = 0; i < Keys; i++)
            {
                tree.Get(Sample.Key(i)).Should().Equal(Sample.Value(ValueBytes, i));
            }
        }

        Sample.Put(environment, 0, 1, ValueBytes);
        environment.Checkpoint();
        environment.GetReport().PunchedBytes.Should().BePositive("nobody sees it any more");
        Expect(environment);
    }

    [Fact]
    public void A_reader_is_reported_with_its_age_and_what_it_keeps_and_warned_of_once()
    {
        using TemporaryFolder folder = new();
        List<StorageEvent> events = [];
        StorageOptions options = new() { Engine = new() { Background = false }, OnEvent = events.Add, ReaderWarningAge = TimeSpan.Zero };
        using StorageEnvironment environment = StorageEnvironment.Open(folder.Path, options);
        Sample.Put(environment, 0, Keys, ValueBytes);
        environment.Checkpoint();
        long copy = environment.GetReport().DataFileBytes;
        environment.GetReport().Readers.Should().BeEmpty();
        events.Should().NotContain(told => told.Kind == StorageEventKind.OldReader);
        using ReadTransaction reader = environment.BeginRead();
        using ReadTransaction other = environment.BeginRead();
        environment.GetReport().RetainedBytes.Should().Be(0);
        for (int round = 0; round < 4; round++)
        {
            Sample.Put(environment, 0, Keys, ValueBytes);
            environment.Checkpoint();
            environment.BeginWrite().Dispose();
        }

        EnvironmentReport report = environment.GetReport();
        report.Readers.Should().HaveCount(2).And.OnlyContain(one => one.TransactionId == reader.TransactionId);
        report.Readers.Should().OnlyContain(one => one.RetainedBytes == report.RetainedBytes && one.Age >= TimeSpan.Zero);
        report.RetainedBytes.Should().BeInRange(Keys * ValueBytes, copy, "one copy of what they see is kept, however often it is replaced");
        events.Count(told => told.Kind == StorageEventKind.OldReader).Should().Be(2, "each reader once");
        reader.Dispose();
        other.Dispose();
        environment.BeginWrite().Dispose();
        environment.GetReport().RetainedBytes.Should().Be(0);
        environment.GetReport().Readers.Should().BeEmpty();
    }

    [Fact]
    public void What_readers_of_different_snapshots_keep_is_told_for_each_and_together()
    {
        using TemporaryFolder folder = new();
        using StorageEnvironment environment = StorageEnvironment.Open(folder.Path, new StorageOptions
        {
            Engine = new() { Background = false },
        });
        Sample.Put(environment, 0, Keys, ValueBytes);
        environment.Checkpoint();
        using ReadTransaction first = environment.BeginRead();
        Sample.Put(environment, 0, Keys, ValueBytes);
        environment.GetReport().Readers.Should().ContainSingle().Which.RetainedBytes.Should().Be(environment.GetReport().RetainedBytes);
        using ReadTransaction second = environment.BeginRead();
        Sample.Put(environment, 0, Keys, ValueBytes);
        using ReadTransaction newest = environment.BeginRead();
        EnvironmentReport report = environment.GetReport();
        report.Readers.Select(static one => one.TransactionId).Should().Equal(
            first.TransactionId, second.TransactionId, newest.TransactionId);
        report.Readers[0].RetainedBytes.Should().BeGreaterThan(Keys * ValueBytes);
        report.Readers[1].RetainedBytes.Should().BeGreaterThan(Keys * ValueBytes);
        report.Readers[2].RetainedBytes.Should().Be(0, "nothing it sees was replaced");
        report.RetainedBytes.Should().Be(
            report.Readers[0].RetainedBytes + report.Readers[1].RetainedBytes, "they have no page in common");
    }

    private static void DeleteMiddle(StorageEnvironment environment)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        transaction.OpenTree(Sample.Tree).DeleteRange(Sample.Key(50), Sample.Key(Keys - 50)).Should().Be(Keys - 100);
        transaction.Commit();
    }

    private static void Expect(StorageEnvironment environment)
    {
        using ReadTransaction read = environment.BeginRead();
        read.TryOpenTree(Sample.Tree, out ReadTree tree).Should().BeTrue();
        tree.Count.Should().Be(100);
        for (int i = 0; i < Keys; i++)
        {
            bool isThere = i < 50 || i >= Keys - 50;
            tree.TryGet(Sample.Key(i), out ReadOnlySpan<byte> value).Should().Be(isThere);
            value.ToArray().Should().Equal(isThere ? Sample.Value(ValueBytes, i) : []);
        }

        environment.Check().Findings.Should().BeEmpty();
    }
}

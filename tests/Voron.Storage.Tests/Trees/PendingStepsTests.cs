using System.Text;
using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Trees;

/// <summary>What a catalog record says of pending entries, beside a model that knows each of them.</summary>
public sealed class PendingStepsTests
{
    private const int Keys = 400;
    private const int PutsPerTransaction = 12;

    [Theory]
    [InlineData(1, 1)]
    [InlineData(2, 7)]
    [InlineData(3, 60)]
    public void No_entry_that_is_pending_is_older_than_its_step(int seed, int entriesPerSample)
    {
        Random random = new(seed);
        PendingTree tree = Tree(entriesPerSample);
        SortedDictionary<string, long> pending = new(StringComparer.Ordinal);
        for (long transaction = 1; transaction <= 2_000; transaction++)
        {
            for (int i = 0; i < PutsPerTransaction; i++)
            {
                pending[KeyOf(random.Next(Keys))] = transaction;
            }

            Merge(tree, pending, random.Next(2 * PutsPerTransaction), transaction);
            if (random.Next(10) == 0)
            {
                tree.Rollback();
                tree = Tree(entriesPerSample);
                pending.Clear();
                continue;
            }

            tree.Commit(new TransactionId(transaction));
            List<PendingStep> steps = StepsOf(tree);
            steps.Count.Should().BeInRange(1, PendingSteps.MostSteps);
            foreach ((string key, long since) in pending)
            {
                SinceOf(steps, key).Should().BeLessThanOrEqualTo(since, "'{0}' is pending, seed {1}", key, seed);
            }
        }
    }

    /// <summary>Of what was put during two rounds about half is merged; nearly all of that half is known.</summary>
    [Fact]
    public void Steps_tell_most_of_what_is_merged()
    {
        Random random = new(5);
        PendingTree tree = Tree(entriesPerSample: 16);
        SortedDictionary<string, long> pending = new(StringComparer.Ordinal);
        List<(string Key, long Transaction)> puts = [];
        for (long transaction = 1; transaction <= 1_000; transaction++)
        {
            for (int i = 0; i < PutsPerTransaction; i++)
            {
                string key = KeyOf(random.Next(100_000));
                pending[key] = transaction;
                puts.Add((key, transaction));
            }

            Merge(tree, pending, transaction < 200 ? 0 : PutsPerTransaction, transaction);
            tree.Commit(new TransactionId(transaction));
        }

        List<PendingStep> steps = StepsOf(tree);
        int broughtBack = puts.Count(put => put.Transaction >= SinceOf(steps, put.Key));
        broughtBack.Should().BeInRange(pending.Count, pending.Count * 5 / 4);
    }

    [Fact]
    public void Long_keys_say_less_and_never_too_much()
    {
        PendingTree tree = Tree(entriesPerSample: 1);
        string next = new('k', PendingSteps.MostKeyBytes + 5);
        tree.MergedTo(Encoding.ASCII.GetBytes(next), 10, new TransactionId(9), 2);
        tree.Commit(new TransactionId(9));
        List<PendingStep> steps = StepsOf(tree);
        SinceOf(steps, "a").Should().Be(1);
        SinceOf(steps, next[..^1]).Should().Be(1, "the round may have passed it, which a shortened key does not tell");
    }

    [Fact]
    public void Bytes_that_are_no_steps_are_refused()
    {
        byte[] bytes = new byte[PendingSteps.MostBytes];
        int first = PendingSteps.Write(new TransactionId(4), "b"u8, bytes);
        int second = first + PendingSteps.Write(new TransactionId(5), "a"u8, bytes.AsSpan(first));
        PendingSteps.TryRead(bytes.AsSpan(0, first), out _).Should().BeTrue();
        PendingSteps.TryRead(bytes.AsSpan(0, first - 1), out _).Should().BeFalse("it ends within a key");
        PendingSteps.TryRead(bytes.AsSpan(0, first + 1), out _).Should().BeFalse("it ends within a step");
        PendingSteps.TryRead(bytes.AsSpan(0, second), out _).Should().BeFalse("keys descend");
    }

    private static PendingTree Tree(int entriesPerSample) =>
        new("tree"u8.ToArray(), new PageNumber(7), new TransactionId(1), new TransactionId(1), 1, isRecorded: false)
        {
            EntriesPerSample = entriesPerSample,
        };

    /// <summary>Merges as the writer does: in key order, up to the last entry that is merged.</summary>
    private static void Merge(PendingTree tree, SortedDictionary<string, long> pending, int entries, long transaction)
    {
        if (entries == 0)
        {
            return;
        }

        string from = Encoding.ASCII.GetString(tree.Next);
        List<string> due = [.. pending.Keys.Where(key => string.CompareOrdinal(key, from) >= 0)];
        List<string> merged = [.. due.Take(entries)];
        merged.ForEach(key => pending.Remove(key));
        string next = merged.Count < due.Count ? merged[^1] + "\0" : string.Empty;
        tree.MergedTo(Encoding.ASCII.GetBytes(next), merged.Count, new TransactionId(transaction), 1);
    }

    private static List<PendingStep> StepsOf(PendingTree tree)
    {
        byte[] bytes = new byte[PendingSteps.MostBytes];
        PendingSteps.TryRead(bytes.AsSpan(0, tree.WriteSteps(bytes)), out List<PendingStep> steps).Should().BeTrue();
        return steps;
    }

    private static long SinceOf(List<PendingStep> steps, string key)
    {
        int at = steps.FindLastIndex(step => string.CompareOrdinal(Encoding.ASCII.GetString(step.From), key) <= 0);
        return at < 0 ? 0 : steps[at].Since.Value;
    }

    private static string KeyOf(int number) => $"key {number:D6}";
}

using FluentAssertions;
using Voron.Bench.Peers;
using Xunit;

namespace Voron.Bench.Tests;

/// <summary>Items that are made from their numbers are the same each time, and a store that lacks one is found out.</summary>
public sealed class ItemSequenceTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("voron-bench-tests-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void An_item_is_the_same_whatever_was_made_before_it()
    {
        ItemSequence sequence = new(seed: 3);
        DataSet together = sequence.Keep([0, 1, 2]);
        DataSet alone = sequence.Keep([2]);
        alone.Key(KeyOrder.Random, 0).SequenceEqual(together.Key(KeyOrder.Random, 2)).Should().BeTrue();
        alone.Value(0).SequenceEqual(together.Value(2)).Should().BeTrue();
        together.Key(KeyOrder.Random, 0).SequenceEqual(together.Key(KeyOrder.Random, 1)).Should().BeFalse();
        alone.Items.Should().Be(1);
        alone.BytesPerValue.Should().Be(DataSet.ValueBytes);
    }

    [Fact]
    public void A_store_has_the_items_that_were_put_and_no_other()
    {
        ItemSequence sequence = new(seed: 3);
        using OurStore store = new(Path.Combine(_folder, "db"));
        using (IStoreWriter writer = store.OpenWriter())
        {
            sequence.Put(writer, 0, 1_000);
            sequence.Put(writer, 1_000, 500);
        }

        sequence.Demand("all", store, 1_500);
        Action more = () => sequence.Demand("more", store, 1_501);
        more.Should().Throw<VerificationException>().WithMessage("more: 1,500 right, 1,501 expected.");
        Action others = () => new ItemSequence(seed: 4).Demand("others", store, 1_500);
        others.Should().Throw<VerificationException>().WithMessage("others, sampled: 0 right*");
    }

    [Theory]
    [InlineData(nameof(PutLoad.Updates), 1_000)]
    [InlineData(nameof(PutLoad.Skewed), 2_000)]
    [InlineData(nameof(PutLoad.Deletes), 1_500)]
    public void A_load_leaves_what_it_says(string load, int left)
    {
        ItemSequence sequence = new(seed: 3, Enum.Parse<PutLoad>(load), puts: 2_000);
        using OurStore store = new(Path.Combine(_folder, "db"));
        using (IStoreWriter writer = store.OpenWriter())
        {
            for (int made = 0; made < 2_000; made += 100)
            {
                sequence.Put(writer, made, 100);
                sequence.Demand($"after {made + 100}", store, made + 100);
            }
        }

        sequence.Count(2_000).Should().Be(left);
        Action other = () => new ItemSequence(seed: 3).Demand("a fill", store, left);
        other.Should().Throw<VerificationException>().WithMessage("a fill, sampled: *");
    }

    [Fact]
    public void Nine_of_ten_skewed_puts_go_to_a_sixteenth_of_the_keys()
    {
        const int Puts = 10_000;
        DataSet items = new ItemSequence(seed: 3, PutLoad.Skewed, Puts).Keep([.. Enumerable.Range(0, Puts)]);
        int low = Enumerable.Range(0, Puts).Count(item => items.Key(KeyOrder.Random, item)[0] < 0x10);
        low.Should().BeInRange(9_000, 9_150);
    }
}

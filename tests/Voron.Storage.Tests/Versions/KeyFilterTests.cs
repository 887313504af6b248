using System.Buffers.Binary;
using System.Numerics;
using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Versions;
using Xunit;

namespace Voron.Storage.Tests.Versions;

public sealed class KeyFilterTests
{
    private const int Keys = 20_000;

    /// <summary>Keys of all lengths around a word, and such that differ in few bits.</summary>
    [Theory]
    [InlineData(4)]
    [InlineData(8)]
    [InlineData(11)]
    [InlineData(16)]
    [InlineData(40)]
    public void It_has_all_its_keys_and_few_others(int keyBytes)
    {
        KeyFilter filter = new(Keys);
        for (int number = 0; number < Keys; number++)
        {
            filter.Add(Hash(number, keyBytes));
        }

        for (int number = 0; number < Keys; number++)
        {
            filter.MayHave(Hash(number, keyBytes)).Should().BeTrue();
        }

        int others = Enumerable.Range(Keys, Keys).Count(number => filter.MayHave(Hash(number, keyBytes)));
        others.Should().BeLessThan(Keys / 50);
    }

    [Fact]
    public void One_without_keys_has_none()
    {
        KeyFilter filter = new(0);
        Enumerable.Range(0, 1000).Should().NotContain(number => filter.MayHave(Hash(number, 8)));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(8)]
    public void Filters_of_layers_tell_them_apart(int layers)
    {
        LayerFilters filters = new(Keys);
        for (int layer = 0; layer < layers; layer++)
        {
            int first = layer * Keys;
            filters.IsFor(Keys).Should().BeTrue();
            filters.Begin().Should().Be(layer);
            for (int number = first; number < first + Keys; number++)
            {
                filters.Add(layer, Hash(number, 16));
            }
        }

        int wrong = 0;
        for (int number = 0; number < layers * Keys; number++)
        {
            uint found = filters.Find(Hash(number, 16));
            uint has = 1U << (number / Keys);
            (found & has).Should().Be(has);
            wrong += BitOperations.PopCount(found ^ has);
        }

        wrong.Should().BeLessThan(((layers * layers * Keys) / 50) + 1);
        filters.IsFor(Keys).Should().Be(layers < 8);
        filters.IsFor(Keys + 1).Should().BeFalse();
        filters.IsFor(Keys / 8).Should().BeFalse();
    }

    [Fact]
    public void It_is_emptied_and_used_again_when_no_snapshot_sees_it()
    {
        PageNumber root = new(5);
        PendingRoots roots = new();
        KeyFilter first = roots.Filters.ForKeys(Keys);
        first.Add(Hash(1, 8));
        PendingLayers layers = new(new PageNumber(6), new PendingKeys(first, Before: null), [], CountsLeaves: false, IsBlind: false);
        roots.Add(root, layers, new TransactionId(1));
        KeyFilter second = roots.Filters.ForKeys(Keys);
        roots.Change(root, layers with { Keys = new PendingKeys(second, Before: null) }, new TransactionId(2));

        roots.Prune(new TransactionId(2), [new TransactionId(1)]);
        roots.Filters.ForKeys(Keys).Should().NotBeSameAs(first, "a reader sees it").And.NotBeSameAs(second);
        roots.Prune(new TransactionId(2), []);
        roots.Filters.ForKeys(Keys).Should().BeSameAs(first);
        first.MayHave(Hash(1, 8)).Should().BeFalse();
        roots.Filters.ForKeys(Keys).Should().NotBeSameAs(first).And.NotBeSameAs(second);
    }

    private static ulong Hash(int number, int keyBytes)
    {
        byte[] key = new byte[keyBytes];
        BinaryPrimitives.WriteInt32BigEndian(key.AsSpan(keyBytes - sizeof(int)), number);
        return KeyFilter.HashOf(key);
    }
}

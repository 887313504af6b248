using System.Buffers.Binary;
using FluentAssertions;
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
        KeyFilter filter = new([.. Enumerable.Range(0, Keys).Select(number => Hash(number, keyBytes))]);
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
        KeyFilter filter = new([]);
        Enumerable.Range(0, 1000).Should().NotContain(number => filter.MayHave(Hash(number, 8)));
    }

    private static ulong Hash(int number, int keyBytes)
    {
        byte[] key = new byte[keyBytes];
        BinaryPrimitives.WriteInt32BigEndian(key.AsSpan(keyBytes - sizeof(int)), number);
        return KeyFilter.HashOf(key);
    }
}

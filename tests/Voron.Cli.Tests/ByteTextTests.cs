using System.Text;
using FluentAssertions;
using Voron.Storage.Format;
using Xunit;

namespace Voron.Cli.Tests;

/// <summary>Bytes as text and back.</summary>
public sealed class ByteTextTests
{
    [Theory]
    [InlineData("", "")]
    [InlineData("757365723a3432", "user:42")]
    [InlineData("c3a4", "ä")]
    [InlineData("00", "hex:00")]
    [InlineData("0a", "hex:0a")]
    [InlineData("ff61", "hex:ff61")]
    [InlineData("6865783a3431", "hex:6865783a3431")]
    public void They_stand_as_text_where_they_are_text(string hex, string text)
    {
        KeyText.Whole(Convert.FromHexString(hex)).Should().Be(text);
        ByteText.Parse(text).Should().Equal(Convert.FromHexString(hex));
    }

    [Fact]
    public void Any_bytes_come_back()
    {
        Random random = new(7);
        for (int i = 0; i < 2000; i++)
        {
            byte[] bytes = new byte[random.Next(0, 400)];
            random.NextBytes(bytes);
            ByteText.Parse(KeyText.Whole(bytes)).Should().Equal(bytes);
        }
    }

    [Fact]
    public void Long_ones_are_cut_between_characters()
    {
        KeyText.Shortened(Encoding.UTF8.GetBytes("abcäöü"), 4).Should().Be("abc… (9 bytes)");
        KeyText.Shortened(Encoding.UTF8.GetBytes("abc"), 3).Should().Be("abc");
    }

    [Theory]
    [InlineData("hex:0")]
    [InlineData("hex:zz")]
    public void Half_a_byte_is_refused(string text) =>
        FluentActions.Invoking(() => ByteText.Parse(text)).Should().Throw<FormatException>().WithMessage("*hexadecimal*");
}

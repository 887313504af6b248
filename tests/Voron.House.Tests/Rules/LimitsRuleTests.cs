using Voron.Storage;

namespace Voron.House.Tests.Rules;

public sealed class LimitsRuleTests
{
    private const string Good = """
        | limit | value | source |
        |---|---|---|
        | name | 255 bytes | `FormatConstants.MaxNameBytes` |
        | soft | 268,435,456 bytes | `LimitRules.LeastSoftLimitBytes` |
        | wait | 5 s | `StorageOptions.DisposeTimeout` |
        | window | 0.02 s | `LazyWindow.Default.Time` |
        | value | 2,139,095,040 bytes | `StorageLimits.MaxValueBytes` |
        """;

    [Fact]
    public void The_document_has_the_numbers_of_the_code()
    {
        string document = Documents.Text(LimitsRule.Document);
        LimitsRule.CheckValues(document, typeof(StorageEnvironment).Assembly).ShouldBeEmpty();
        LimitsRule.CheckKeys(document, LimitsOf).ShouldBeEmpty();
        MarkdownTable.Headed(document, "limit", "value", "source").Should().HaveCountGreaterThan(10);
        MarkdownTable.Headed(document, "page size", "longest key").Should().HaveCount(5);
    }

    [Fact]
    public void True_rows_pass() => LimitsRule.CheckValues(Good, typeof(StorageEnvironment).Assembly).Should().BeEmpty();

    [Theory]
    [InlineData("255 bytes", "256 bytes", "255 in the code")]
    [InlineData("5 s", "6 s", "5 in the code")]
    [InlineData("MaxNameBytes", "MostNameBytes", "has no FormatConstants.MostNameBytes")]
    public void A_wrong_row_is_named(string old, string wrong, string expected) =>
        LimitsRule.CheckValues(Good.Replace(old, wrong, StringComparison.Ordinal), typeof(StorageEnvironment).Assembly)
            .Should().ContainSingle().Which.Message.Should().Contain(expected);

    [Fact]
    public void A_wrong_key_length_is_named() =>
        LimitsRule.CheckKeys("| page size | longest key |\n|---|---|\n| 4,096 | 1,025 bytes |", LimitsOf)
            .Should().ContainSingle().Which.Message.Should().Contain("1024 in the code");

    private static StorageLimits LimitsOf(int pageBytes)
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory(new StorageOptions { PageSize = pageBytes });
        return environment.Limits;
    }
}

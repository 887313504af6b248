using FluentAssertions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>The limits that are not set follow from those that are, and from the memory of the process.</summary>
public class LimitTests
{
    private const long Mebibyte = 1 << 20;

    [Theory]
    [InlineData(64, 256, 512)]
    [InlineData(512, 256, 512)]
    [InlineData(576, 288, 576)]
    [InlineData(640, 320, 640)]
    [InlineData(8192, 320, 640)]
    public void The_limits_of_the_journal_follow_the_dirty_budget(long dirty, long soft, long hard)
    {
        EnvironmentReport report = ReportOf(new StorageOptions { MaxDirtyBytes = dirty * Mebibyte });
        report.MaxDirtyBytes.Should().Be(dirty * Mebibyte);
        report.JournalSoftLimitBytes.Should().Be(soft * Mebibyte);
        report.JournalHardLimitBytes.Should().Be(hard * Mebibyte);
    }

    [Theory]
    [InlineData(1, 512)]
    [InlineData(256, 512)]
    [InlineData(1024, 2048)]
    public void The_hard_limit_follows_a_soft_one_that_is_set(long soft, long hard)
    {
        EnvironmentReport report = ReportOf(new StorageOptions { JournalSoftLimitBytes = soft * Mebibyte });
        report.JournalSoftLimitBytes.Should().Be(soft * Mebibyte);
        report.JournalHardLimitBytes.Should().Be(hard * Mebibyte);
    }

    [Fact]
    public void The_soft_limit_is_at_most_half_of_a_hard_one_that_is_set()
    {
        EnvironmentReport report = ReportOf(new StorageOptions { JournalHardLimitBytes = 128 << 10 });
        report.JournalSoftLimitBytes.Should().Be(64 << 10);
        report.JournalHardLimitBytes.Should().Be(128 << 10);
        Action tooLow = () => new StorageOptions { JournalHardLimitBytes = (128 << 10) - 1 }.Validate();
        tooLow.Should().Throw<ArgumentOutOfRangeException>().WithMessage("*131072*");
    }

    [Fact]
    public void Limits_of_the_largest_numbers_are_limits()
    {
        EnvironmentReport report = ReportOf(
            new StorageOptions { JournalSoftLimitBytes = long.MaxValue, MaxDirtyBytes = long.MaxValue / 8 });
        report.JournalHardLimitBytes.Should().BeGreaterThanOrEqualTo(long.MaxValue - 1);
    }

    private static EnvironmentReport ReportOf(StorageOptions options)
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory(options);
        return environment.GetReport();
    }
}

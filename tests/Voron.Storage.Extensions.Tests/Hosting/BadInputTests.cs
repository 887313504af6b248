using FluentAssertions;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Xunit;

namespace Voron.Storage.Extensions.Tests.Hosting;

/// <summary>Whatever is wrong, the host does not start, and one message says what and where.</summary>
public sealed class BadInputTests
{
    public static TheoryData<string, string, string> Settings => new()
    {
        { "PageSize", "5000", "Storage 'default': PageSize is 4096, 8192, 16384, 32768 or 65536 bytes. It is 5000." },
        { "JournalSoftLimitBytes", "1", "Storage 'default': JournalSoftLimitBytes is at least 65536. It is 1." },
        {
            "JournalHardLimitBytes", "70000",
            "Storage 'default': JournalHardLimitBytes is at least JournalSoftLimitBytes, or 131072 if that is not set. It is 70000."
        },
        { "MaxDirtyBytes", "0", "Storage 'default': MaxDirtyBytes is at least 1 MiB. It is 0." },
        {
            "DisposeTimeout",
            "-00:00:02",
            "Storage 'default': DisposeTimeout is zero or more, or Timeout.InfiniteTimeSpan. It is -00:00:02."
        },
        { "ReaderWarningAge", "-00:00:01", "Storage 'default': ReaderWarningAge is zero or more. It is -00:00:01." },
        { "LazyTime", "00:00:00", "*LazyWindow is more than no time and no bytes*" },
        { "Health:MinFreeDiskBytes", "-1", "Storage 'default': the limits of Health are zero or more." },
        { "Path", " ", "Storage 'default': no Path is set. Set 'Storage:Path' to the database's folder." },
    };

    [Theory]
    [MemberData(nameof(Settings))]
    public async Task A_setting_out_of_range_is_named(string key, string value, string message)
    {
        using TestHost host = new(("Storage:Path", "data"), ($"Storage:{key}", value));
        host.Services.AddVoronStorage(host.Builder.Configuration.GetSection("Storage"));
        (await Refused<OptionsValidationException>(host)).Message.Should().Match(message);
    }

    [Theory]
    [InlineData("PageSize", "many", "*Storage:PageSize*")]
    [InlineData("PageSise", "8192", "*PageSise*")]
    public async Task A_setting_that_cannot_be_read_is_named(string key, string value, string message)
    {
        using TestHost host = new(("Storage:Path", "data"), ($"Storage:{key}", value));
        host.Services.AddVoronStorage(host.Builder.Configuration.GetSection("Storage"));
        (await Refused<InvalidOperationException>(host)).Message.Should().Match(message);
    }

    [Fact]
    public async Task A_missing_section_is_named()
    {
        using TestHost host = new();
        host.Services.AddKeyedVoronStorage("orders", host.Builder.Configuration.GetSection("Storage:Orders"));
        (await Refused<OptionsValidationException>(host)).Message.Should()
            .Be("Storage 'orders': the configuration has no section 'Storage:Orders'. Add it, with a Path.");
    }

    [Fact]
    public async Task Two_services_on_one_path_are_named()
    {
        using TestHost host = new();
        host.Services.AddKeyedVoronStorage("a", options => options.Path = "data");
        host.Services.AddKeyedVoronStorage("b", options => options.Path = "./sub/../data/");
        (await Refused<OptionsValidationException>(host)).Message.Should()
            .Be($"The storages 'a' and 'b' have the same Path '{host.At("data")}'. Give each a folder of its own, or use one for both.");
    }

    [Fact]
    public void The_same_service_twice_is_refused_at_once()
    {
        ServiceCollection services = new();
        services.AddVoronStorage(options => options.Path = "a");
        services.Invoking(one => one.AddVoronStorage(options => options.Path = "b")).Should().Throw<InvalidOperationException>()
            .WithMessage("The storage 'default' was added before. Add another one with a key of its own.");
    }

    [Fact]
    public async Task A_database_that_another_process_has_open_is_locked()
    {
        using TestHost host = new();
        host.Services.AddVoronStorage(options => options.Path = "data");
        using StorageEnvironment other = StorageEnvironment.Open(host.At("data"));
        (await Refused<StorageLockedException>(host)).Message.Should().Contain(host.At("data"));
        host.Log.All.Should().ContainSingle(line => line.Level == LogLevel.Critical && line.Id == 2)
            .Which.Text.Should().StartWith("Storage 'default' in '").And.Contain(host.At("data"));
    }

    [Fact]
    public async Task A_folder_below_a_file_is_refused()
    {
        using TestHost host = new();
        File.WriteAllText(host.At("file"), "no folder");
        host.Services.AddVoronStorage(options => options.Path = "file/data");
        (await Refused<StorageIOException>(host)).Message.Should().Contain(host.At("file/data"));
    }

    [Fact]
    public async Task A_foreign_file_in_its_place_is_refused()
    {
        using TestHost host = new();
        Directory.CreateDirectory(host.At("data"));
        File.WriteAllText(host.At("data/data.voron"), new string('x', 20_000));
        host.Services.AddVoronStorage(options => options.Path = "data");
        (await Refused<NotADatabaseException>(host)).Message.Should().Contain(host.At("data"));
    }

    [Fact]
    public async Task A_folder_that_cannot_be_written_is_refused()
    {
        if (OperatingSystem.IsWindows())
        {
            Assert.Skip("Rights are set in another way on Windows.");
            return;
        }

        using TestHost host = new();
        string folder = host.At("locked");
        Directory.CreateDirectory(folder, UnixFileMode.UserRead | UnixFileMode.UserExecute);
        if (Environment.IsPrivilegedProcess)
        {
            // Rights are nothing to root; this file system takes no folders from anybody.
            folder = "/sys/kernel";
        }

        string path = Path.Combine(folder, "data");
        host.Services.AddVoronStorage(options => options.Path = path);
        (await Refused<StorageIOException>(host)).Message.Should().Contain(path);
    }

    [Fact]
    public async Task A_full_disk_is_refused()
    {
        using FullDisk disk = new();
        using TestHost host = new();
        host.Services.AddVoronStorage(options =>
        {
            options.Path = "data";
            options.OpenWith = (path, _) => StorageEnvironment.Open(path, new StorageOptions { Engine = new() { Disk = disk } });
        });
        (await Refused<StorageFullException>(host)).Message.Should().Contain(host.At("data"));
        host.Log.All.Should().ContainSingle(line => line.Level == LogLevel.Critical);
    }

    [Fact]
    public async Task A_missing_database_is_not_made_when_it_is_not_to_be()
    {
        using TestHost host = new();
        host.Services.AddVoronStorage(options =>
        {
            options.Path = "data";
            options.CreateIfMissing = false;
        });
        (await Refused<StorageIOException>(host)).Message.Should().Contain(host.At("data"));
        Directory.Exists(host.At("data")).Should().BeFalse();
    }

    private static async Task<TException> Refused<TException>(TestHost host)
        where TException : Exception =>
        (await host.Invoking(one => one.StartAsync()).Should().ThrowAsync<TException>()).Which;
}
